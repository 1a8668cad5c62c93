"""Tiles of an image-to-image model: exact if they agree bit for bit, with measured seams otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.models import save
from tests.picture_nets import Builder, Net, compact, hourglass, normalized, residual_dense, squeezed, tripled, windows
from webbuild.compile.tiles import with_tiles
from webbuild.manifest.inputs.letterbox import Letterbox
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.inputs.option import NumberInput
from webbuild.manifest.inputs.picture import ImageInput
from webbuild.manifest.inputs.tensor import TensorInput
from webbuild.manifest.tasks.image import ImageTask
from webbuild.manifest.tasks.matte import MatteTask
from webbuild.manifest.tasks.tile_plan import TilePlan
from webbuild.passes.analysis.receptive_field import receptive_field
from webbuild.reporting.progress import ProgressReporter
from webbuild.runners.native import NativeRunner
from webbuild.tasks.task_match import TaskMatch

IMAGE = ImageInput(
    name="x", shape=[1, 3, 64, 64], scale=1 / 255, mean=[0] * 3, std=[1] * 3, letterbox=Letterbox(mode="stretch")
)


def measured(model: onnx.ModelProto, path: Path, scale: int = 1, **change: object) -> tuple[TilePlan | None, str]:
    """Return a model's tile plan, and the messages about it."""
    file = save(model, path / "model.onnx")
    match = TaskMatch(ImageTask(output="y", scale=scale, low=-1.0, high=1.0), (IMAGE,), ())
    match = msgspec.structs.replace(match, **change)
    found = with_tiles(match, ir.from_proto(model), NativeRunner(file), ProgressReporter(quiet=True))
    assert isinstance(found.task, ImageTask | MatteTask)
    return found.task.tiles, " ".join(found.assumptions)


@pytest.mark.parametrize(
    ("net", "halo", "multiple", "scale"), [(compact, 4, 1, 4), (hourglass, 9, 4, 1), (windows, 5, 4, 1)]
)
def test_a_local_network_has_exact_tiles(net: Net, halo: int, multiple: int, scale: int, tmp_path: Path) -> None:
    plan, said = measured(net(64, 64), tmp_path, scale)
    assert plan == TilePlan(halo=halo, multiple=multiple, exact=True)
    assert "are bit-identical" in said


@pytest.mark.parametrize(("kernel", "halo"), [(3, 2), (7, 3)])
def test_the_halo_of_luma_holds_what_its_colours_are_made_of(kernel: int, halo: int, tmp_path: Path) -> None:
    half, weights = kernel // 2, ", ".join(f"{1 / kernel**2:.4f}" for _ in range(4 * kernel**2))
    text = f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,1,64,64] x) => (float[1,1,128,128] y) <float[4,1,{kernel},{kernel}] w = {{{weights}}}> {{
      a = Conv <pads = [{half}, {half}, {half}, {half}]> (x, w)
      y = DepthToSpace <blocksize = 2> (a)
    }}"""
    image = msgspec.structs.replace(IMAGE, shape=[1, 1, 64, 64], color="gray", mean=[0], std=[1])
    task = ImageTask(output="y", scale=2, luma=True)
    model = onnx.shape_inference.infer_shapes(onnx.parser.parse_model(text))
    plan, said = measured(model, tmp_path, task=task, inputs=(image,))
    assert plan == TilePlan(halo=halo, multiple=1, exact=True)
    assert "are bit-identical" in said


def test_a_receptive_field_that_the_tile_cannot_hold_is_blended(tmp_path: Path) -> None:
    plan, said = measured(deep(64, 64), tmp_path)
    assert plan is not None
    assert (plan.exact, plan.multiple, plan.halo in (4, 8, 16)) == (False, 1, True)
    assert plan.feather == plan.halo // 2
    assert "the receptive field is 30 pixels in each direction, too large for tiles of 64 x 64" in said


def deep(height: int, width: int) -> onnx.ModelProto:
    """Thirty convolutions, each of which adds little to the image."""
    g, x = Builder(height, width), "x"
    for _ in range(30):
        x = g.op("Add", x, g.op("Mul", g.conv(x, 3, 3), g.constant(0.05, np.float32)))
    return g.model(x)


def test_global_context_is_blended_and_its_seam_measured(tmp_path: Path) -> None:
    plan, said = measured(squeezed(64, 64), tmp_path)
    assert plan is not None
    assert not plan.exact
    assert 0 < plan.seam < 0.2
    assert "tiles are not exact: GlobalAveragePool 'v1_0' reads all rows of the picture" in said


def test_a_network_that_rounds_by_position_is_not_called_exact(tmp_path: Path) -> None:
    plan, said = measured(tripled(64, 64), tmp_path, 3)
    assert plan is not None
    assert not plan.exact
    assert plan.seam < 1e-5
    assert "Resize 'v1_0' rounds differently at each position" in said


def test_tiles_that_look_different_are_not_joined(tmp_path: Path) -> None:
    plan, said = measured(normalized(64, 64), tmp_path)
    assert plan is None
    assert "pictures are resized to 64 x 64, there are no tiles: InstanceNormalization" in said


def test_what_belongs_to_the_whole_picture_leaves_no_tiles(tmp_path: Path) -> None:
    depth = TensorInput(name="depth", dtype="float32", shape=[1, 1, 64, 64])
    plan, said = measured(compact(64, 64), tmp_path, 4, inputs=(IMAGE, depth))
    assert plan is None
    assert "another input of the model" in said


def test_a_number_beside_the_picture_is_that_of_each_tile(tmp_path: Path) -> None:
    g = Builder(64, 64)
    model = g.model(g.op("Mul", g.conv("x", 3, 3), "strength"))
    strength = onnx.helper.make_tensor_value_info("strength", onnx.TensorProto.FLOAT, [1])
    model.graph.input.append(strength)
    number = NumberInput(name="strength", shape=[1], default=0.5)
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    plan, _ = measured(model, tmp_path, inputs=(IMAGE, number))
    assert plan == TilePlan(halo=1, multiple=1, exact=True)


def test_a_wrong_receptive_field_is_found_by_the_tiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_small(*given: Any) -> Any:
        return msgspec.structs.replace(receptive_field(*given), halo=3)

    monkeypatch.setattr("webbuild.compile.tiles.receptive_field", too_small)
    plan, said = measured(residual_dense(64, 64), tmp_path, 4)
    assert plan is not None
    assert not plan.exact
    assert "two tiles of a photograph differ by" in said


def matting(height: int, width: int, *, squeezes: bool = False) -> onnx.ModelProto:
    """Alpha `y` after one convolution, the foreground colours `front` after two."""
    g = Builder(height, width)
    alpha = g.op("Sigmoid", g.conv("x", 3, 1))
    front = g.conv(g.conv("x", 3, 8), 8, 3)
    if squeezes:
        alpha = g.op("Mul", alpha, g.op("GlobalAveragePool", alpha))
    model = g.model(alpha)
    model.graph.node.append(onnx.helper.make_node("Identity", [front], ["front"], name="front"))
    model.graph.output.append(onnx.helper.make_tensor_value_info("front", onnx.TensorProto.FLOAT, [None] * 4))
    return onnx.shape_inference.infer_shapes(model, data_prop=True)


@pytest.mark.parametrize(("foreground", "halo"), [(None, 1), ("front", 2)])
def test_alpha_has_exact_tiles_that_hold_its_foreground_too(foreground: str | None, halo: int, tmp_path: Path) -> None:
    plan, said = measured(matting(64, 64), tmp_path, task=MatteTask(output="y", foreground=foreground))
    assert plan == TilePlan(halo=halo, multiple=1, exact=True)
    assert "are run in tiles of 64 x 64, exactly" in said


def test_alpha_without_a_channel_axis_has_exact_tiles(tmp_path: Path) -> None:
    g = Builder(64, 64)
    model = g.model(g.reshape(g.op("Sigmoid", g.conv("x", 3, 1)), 1, 64, 64), [None] * 3)
    plan, _ = measured(model, tmp_path, task=MatteTask(output="y"))
    assert plan == TilePlan(halo=1, multiple=1, exact=True)


def test_tiles_of_alpha_are_never_blended(tmp_path: Path) -> None:
    plan, said = measured(matting(64, 64, squeezes=True), tmp_path, task=MatteTask(output="y"))
    assert plan is None
    assert "pictures are resized to 64 x 64, there are no tiles: GlobalAveragePool" in said
    assert "reads all rows of the picture" in said


def test_alpha_of_another_size_has_no_tiles(tmp_path: Path) -> None:
    g = Builder(64, 64)
    model = g.model(g.op("Sigmoid", g.conv(g.resize("x", 2, places="asymmetric"), 3, 1)))
    plan, said = measured(model, tmp_path, task=MatteTask(output="y"))
    assert plan is None
    assert "there are no tiles: the output 'y' is 2 times as large as the picture" in said


def test_alpha_between_the_least_and_the_largest_value_has_no_tiles(tmp_path: Path) -> None:
    plan, said = measured(matting(64, 64), tmp_path, task=MatteTask(output="y", min_max=True))
    assert plan is None
    assert "there are no tiles: alpha is normalized by the minimum and maximum of the whole picture" in said


def filling(*shape: int, dilation: int = 1, squeezes: bool = False) -> onnx.ModelProto:
    """An image whose hole (the input `mask`) is filled in from `dilation` pixels around it."""
    g = Builder(64, 64)
    mask = g.reshape("mask", 1, 1, 64, 64)
    near = g.conv(mask, 1, 4, dilations=[dilation] * 2, pads=[dilation] * 4)
    x = g.op("Concat", g.conv("x", 3, 4), near, axis=1)
    if squeezes:
        x = g.op("Add", x, g.op("Mul", g.constant(0.01, np.float32), g.op("GlobalAveragePool", x)))
    return g.model(g.conv(x, 8, 3), also={"mask": shape})


def with_mask(*shape: int) -> tuple[ImageInput, MaskInput]:
    return IMAGE, MaskInput(name="mask", shape=list(shape), empties_picture=True)


@pytest.mark.parametrize("shape", [(1, 1, 64, 64), (1, 64, 64, 1), (1, 64, 64), (64, 64)])
def test_a_mask_goes_through_exact_tiles_that_hold_its_receptive_field_too(
    shape: tuple[int, ...], tmp_path: Path
) -> None:
    plan, said = measured(filling(*shape, dilation=6), tmp_path, inputs=with_mask(*shape))
    assert plan == TilePlan(halo=7, multiple=1, exact=True)
    assert "are bit-identical" in said


def test_tiles_with_a_mask_that_read_the_whole_picture_are_blended(tmp_path: Path) -> None:
    shape = (1, 1, 64, 64)
    plan, said = measured(filling(*shape, squeezes=True), tmp_path, inputs=with_mask(*shape))
    assert plan is not None
    assert not plan.exact
    assert plan.feather == plan.halo // 2 > 0
    assert 0 < plan.seam < 0.2
    assert "tiles are not exact: GlobalAveragePool" in said


def test_a_receptive_field_that_forgets_the_mask_is_found_by_the_tiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_small(*given: Any) -> Any:
        return msgspec.structs.replace(receptive_field(*given), halo=2)

    monkeypatch.setattr("webbuild.compile.tiles.receptive_field", too_small)
    shape = (1, 1, 64, 64)
    plan, said = measured(filling(*shape, dilation=6), tmp_path, inputs=with_mask(*shape))
    assert plan is not None
    assert not plan.exact
    assert "two tiles of a photograph differ by" in said
