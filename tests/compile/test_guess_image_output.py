"""An output is an image if it resembles the input photograph, measured on the original model."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.manifests import image_input
from webbuild.compile.guess_image_output import find_picture_output, with_measured_picture
from webbuild.compile.image_similarity import measure_similarity
from webbuild.compile.output_range import read_output_range
from webbuild.compile.preprocessing_trials import sample_canvases
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.inputs.option import NumberInput
from webbuild.manifest.inputs.picture import ImageInput, MaskChannel, ReferenceInput
from webbuild.manifest.inputs.tensor import TensorInput
from webbuild.manifest.tasks.image import ImageTask
from webbuild.manifest.tasks.tensor import TensorTask
from webbuild.model.hub_files import HubFiles
from webbuild.model.read_signature import read_signature
from webbuild.runners.native import NativeRunner
from webbuild.tasks.recognition.picture_to_picture import infer_picture_to_picture
from webbuild.tasks.task_match import TaskMatch

HEADER = '<ir_version: 8, opset_import: ["" : 17]>'
SIZE = "1,3,48,64"


def graph(nodes: str, result: str = f"float[{SIZE}] y", constants: str = "", given: str = "") -> ir.Model:
    return ir.from_onnx_text(f"{HEADER} g (float[{SIZE}] x{given}) => ({result}) <{constants}> {{ {nodes} }}")


def recognized(model: ir.Model, folder: Path) -> TaskMatch | None:
    path = folder / "net.onnx"
    onnx.save(ir.to_proto(model), path)
    inputs = tuple(
        TensorInput(name=str(each.name), dtype="float32", shape=list(each.shape.numpy()) if each.shape else [])
        for each in model.graph.inputs
    )
    return find_picture_output(TaskMatch(TensorTask(), inputs, ()), model, NativeRunner(path))


@pytest.mark.parametrize(
    ("nodes", "constants", "low", "high", "scale", "mean"),
    [
        ("y = Clip (x, a, b)", "float a = {0}, float b = {1}", 0, 1, 1 / 255, 0),
        ("y = Clip (x, a, b)", "float a = {0}, float b = {255}", 0, 255, 1, 0),
        ("m = Mul (x, a) y = Tanh (m)", "float a = {1.2}", -1, 1, 1 / 127.5, 1),
        ("y = Mul (x, a)", "float a = {0.9}", 0, 1, 1 / 255, 0),
        ("m = Mul (x, a) y = Clip (m, z, a)", "float z = {0}, float a = {255}", 0, 255, 1 / 255, 0),
    ],
)
def test_the_range_is_the_graphs_or_that_of_its_answers(
    nodes: str, constants: str, low: float, high: float, scale: float, mean: float, tmp_path: Path
) -> None:
    found = recognized(graph(nodes, constants=constants), tmp_path)
    assert found is not None
    assert found.task == ImageTask(output="y", scale=1, low=low, high=high, order="rgb")
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert image.scale == pytest.approx(scale)
    assert image.mean == [mean] * 3
    assert "not inverted, not shifted" in found.assumptions[0]


@pytest.mark.parametrize(
    ("nodes", "result"),
    [
        ("y = Neg (x)", f"float[{SIZE}] y"),
        ("a = Softmax <axis = 1> (x) y = Identity (a)", f"float[{SIZE}] y"),
        ("y = Sin (h) h = Mul (x, f)", f"float[{SIZE}] y"),
        ("y = AveragePool <kernel_shape = [17, 17], strides = [1, 1], pads = [8, 8, 8, 8]> (x)", f"float[{SIZE}] y"),
        ("y = Pad (x, p)", "float[1,3,50,64] y"),
    ],
    ids=["inverted", "classes", "noise", "blurred", "another-ratio"],
)
def test_what_is_no_picture_of_the_input_stays_a_tensor(nodes: str, result: str, tmp_path: Path) -> None:
    constants = "float f = {500}, int64[8] p = {0, 0, 0, 0, 0, 0, 2, 0}"
    ordered = nodes if not nodes.startswith("y = Sin") else "h = Mul (x, f) y = Sin (h)"
    assert recognized(graph(ordered, result, constants), tmp_path) is None


def test_scale_layout_and_order_are_measured(tmp_path: Path) -> None:
    nodes = (
        'a = Gather <axis = 1> (x, i) b = Resize <mode = "nearest"> (a, , s) y = Transpose <perm = [0, 2, 3, 1]> (b)'
    )
    constants = "int64[3] i = {2, 1, 0}, float[4] s = {1, 1, 3, 3}"
    found = recognized(graph(nodes, "float[1,144,192,3] y", constants), tmp_path)
    assert found is not None
    assert found.task == ImageTask(output="y", layout="nhwc", scale=3, low=0, high=1, order="bgr")
    assert "a picture of 3 times the input's size" in found.assumptions[0]


def test_a_number_beside_the_picture_stays_one(tmp_path: Path) -> None:
    found = recognized(graph("y = Mul (x, strength)", given=", float[1] strength"), tmp_path)
    assert found is not None
    assert [type(each) for each in found.inputs] == [ImageInput, NumberInput]
    assert isinstance(found.task, ImageTask)


def test_a_shift_is_seen() -> None:
    canvases = sample_canvases(image_input(48, 64, "x"))
    moved = [np.roll(canvas.transpose(2, 0, 1), (0, 1, -2), (0, 1, 2)) for canvas in canvases]
    likeness = measure_similarity(canvases, moved)
    assert likeness.shift == (1, -2)
    assert not likeness.is_picture


@pytest.mark.parametrize(
    ("nodes", "constants", "want"),
    [
        ("y = Sigmoid (x)", "float a = {0}", (0, 1)),
        ("t = Tanh (x) u = Add (t, a) y = Div (u, b)", "float a = {1}, float b = {2}", (0, 1)),
        ("t = Sigmoid (x) y = Mul (a, t)", "float a = {255}", (0, 255)),
        ("t = Sigmoid (x) u = Sub (t, a) y = Div (u, a)", "float a = {0.5}", (-1, 1)),
        ("t = Sigmoid (x) y = Sub (a, t)", "float a = {1}", None),
        ("y = Relu (x)", "float a = {1}", None),
        ("y = Clip (x, a)", "float a = {0}", None),
    ],
)
def test_the_end_of_a_graph_says_its_range(nodes: str, constants: str, want: tuple[float, float] | None) -> None:
    found = read_output_range(graph(nodes, constants=constants), "y")
    assert (found and (found.low, found.high)) == want


def test_swin2sr_is_told_by_its_configuration_and_measured(tmp_path: Path) -> None:
    model = graph('y = Resize <mode = "linear"> (x, , s)', "float[1,3,96,128] y", "float[4] s = {1, 1, 2, 2}")
    path = tmp_path / "net.onnx"
    onnx.save(ir.to_proto(model), path)
    files = HubFiles(config={"model_type": "swin2sr"}, preprocessor={"do_rescale": True, "rescale_factor": 1 / 255})
    signature = read_signature("net.onnx", model)
    assert infer_picture_to_picture(signature, requested=False) is None
    known = infer_picture_to_picture(msgspec.structs.replace(signature, hub_files=files), requested=False)
    assert known is not None
    found = with_measured_picture(known, model, NativeRunner(path))
    assert found.task == ImageTask(output="y", scale=2, low=0, high=1)
    assert "not shifted" in found.assumptions[0]
    assert "preprocessor_config.json" in found.assumptions[1]


FILLED = "blur = AveragePool <kernel_shape = [5, 5], strides = [1, 1], pads = [2, 2, 2, 2]> (x)"


@pytest.mark.parametrize(
    ("nodes", "hole", "known", "empties"),
    [
        (f"{FILLED} k = Sub (one, m) a = Mul (x, k) b = Mul (blur, k) c = Mul (half, m) y = Add (a, c)", 1, 0, False),
        ("h = Sub (one, m) a = Mul (x, m) c = Mul (half, h) y = Add (a, c)", 0, 1, False),
        ("c = Mul (half, m) y = Add (x, c)", 1, 0, True),
    ],
    ids=["1-is-a-hole", "1-is-known", "looks-into-the-hole"],
)
def test_what_a_mask_means_is_measured(nodes: str, hole: float, known: float, empties: bool, tmp_path: Path) -> None:
    model = graph(nodes, constants="float one = {1}, float half = {0.5}", given=", float[1,1,48,64] m")
    found = recognized(model, tmp_path)
    assert found is not None
    mask = found.inputs[1]
    assert isinstance(mask, MaskInput)
    assert (mask.hole, mask.known, mask.empties_picture) == (hole, known, empties)
    assert "is the mask of what is filled in" in found.assumptions[-1]
    assert "sure: the picture around the hole changes by" in found.assumptions[-1]


def test_a_mask_that_nothing_depends_on_has_the_meaning_of_its_name(tmp_path: Path) -> None:
    found = recognized(
        graph("z = Mul (valid, none) y = Add (x, z)", constants="float none = {0}", given=", float[1,1,48,64] valid"),
        tmp_path,
    )
    assert found is not None
    mask = found.inputs[1]
    assert isinstance(mask, MaskInput)
    assert (mask.hole, mask.known) == (0, 1)
    assert "a guess: the other way round" in found.assumptions[-1]


LUMA = """a = Conv <pads = [1, 1, 1, 1]> (x, w) b = Tile (a, t) y = DepthToSpace <blocksize = 2> (b)"""


def luma_network() -> ir.Model:
    constants = "float[1,1,3,3] w = {0, 0, 0, 0, 0.95, 0, 0, 0.05, 0}, int64[4] t = {1, 4, 1, 1}"
    return ir.from_onnx_text(f"{HEADER} g (float[1,1,48,64] x) => (float[1,1,96,128] y) <{constants}> {{ {LUMA} }}")


def test_a_network_of_luma_makes_a_picture_in_the_colours_of_the_source(tmp_path: Path) -> None:
    found = recognized(luma_network(), tmp_path)
    assert found is not None
    assert found.task == ImageTask(output="y", scale=2, low=0, high=1, luma=True)
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert image.color == "gray"
    assert image.scale == pytest.approx(1 / 255)
    assert "is luma, Y of YCbCr, of 2 times the input's size" in found.assumptions[0]
    assert "not inverted, not shifted" in found.assumptions[0]
    assert "--scale 219/65025 --mean=-16/255" in found.assumptions[1]


@pytest.mark.parametrize("nodes", ["y = Neg (x)", "a = Mul (x, f) y = Sin (a)"], ids=["inverted", "noise"])
def test_one_channel_that_is_not_the_luma_stays_a_tensor(nodes: str, tmp_path: Path) -> None:
    text = f"{HEADER} g (float[1,1,48,64] x) => (float[1,1,48,64] y) <float f = {{500}}> {{ {nodes} }}"
    assert recognized(ir.from_onnx_text(text), tmp_path) is None


def test_luma_that_goes_in_with_the_studio_range_comes_out_with_it(tmp_path: Path) -> None:
    model, path = luma_network(), tmp_path / "net.onnx"
    onnx.save(ir.to_proto(model), path)
    known = infer_picture_to_picture(read_signature("net.onnx", model), requested=True)
    assert known is not None
    (image,) = known.inputs
    studio = msgspec.structs.replace(image, scale=219 / 65025, mean=[-16 / 255])
    known = msgspec.structs.replace(known, inputs=(studio,))
    found = with_measured_picture(known, model, NativeRunner(path), configured=True)
    assert isinstance(found.task, ImageTask)
    assert (found.task.low, found.task.high) == pytest.approx((16 / 255, 235 / 255))


SPLIT = "rgb, m = Split <axis = 1> (x, parts)"


@pytest.mark.parametrize(
    ("nodes", "hole", "known", "empties"),
    [
        ("k = Sub (one, m) a = Mul (rgb, k) c = Mul (half, m) y = Add (a, c)", 1, 0, False),
        ("h = Sub (one, m) a = Mul (rgb, m) c = Mul (half, h) y = Add (a, c)", 0, 1, False),
        ("c = Mul (half, m) y = Add (rgb, c)", 1, 0, True),
        ("h = Sub (one, m) c = Mul (half, h) y = Add (rgb, c)", 0, 1, True),
    ],
    ids=["1-is-a-hole", "1-is-known", "1-is-a-hole-and-empty", "1-is-known-and-empty"],
)
def test_a_fourth_channel_may_be_the_mask(nodes: str, hole: float, known: float, empties: bool, tmp_path: Path) -> None:
    found = recognized(four_channels(nodes), tmp_path)
    assert found is not None
    assert found.task == ImageTask(output="y")
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert image.mask == MaskChannel(hole=hole, known=known, empties_picture=empties)
    assert "the fourth channel of 'x' is the mask of what is filled in" in found.assumptions[-1]
    assert "sure: the picture around the hole changes by" in found.assumptions[-1]


def four_channels(nodes: str) -> ir.Model:
    constants = "float one = {1}, float half = {0.5}, float no = {0}, int64[2] parts = {3, 1}"
    return ir.from_onnx_text(
        f"{HEADER} g (float[1,4,48,64] x) => (float[{SIZE}] y) <{constants}> {{ {SPLIT} {nodes} }}"
    )


def test_a_fourth_channel_that_changes_nothing_is_no_mask(tmp_path: Path) -> None:
    assert recognized(four_channels("n = Mul (m, no) y = Add (rgb, n)"), tmp_path) is None


BLENDED = "a = Mul (x, most) b = Mul (other, some) y = Add (a, b)"


@pytest.mark.parametrize(("first", "second"), [("x", "other"), ("other", "x")])
def test_of_two_pictures_the_output_resembles_one(first: str, second: str, tmp_path: Path) -> None:
    given = f"float[{SIZE}] {first}, float[{SIZE}] {second}"
    constants = "float most = {0.9}, float some = {0.1}"
    found = recognized(
        ir.from_onnx_text(f"{HEADER} g ({given}) => (float[{SIZE}] y) <{constants}> {{ {BLENDED} }}"), tmp_path
    )
    assert found is not None
    assert {spec.name: type(spec) for spec in found.inputs} == {"x": ImageInput, "other": ReferenceInput}
    assert [spec.name for spec in found.inputs] == [first, second]
    assert "'other' is a second picture: run(picture, { reference }) takes it" in found.assumptions[-1]


def test_a_reference_may_have_another_size(tmp_path: Path) -> None:
    text = f"""{HEADER} g (float[1,3,48,64] x, float[1,3,32,32] style) => (float[1,3,48,64] y) <float some = {{0.1}}> {{
      mean = GlobalAveragePool (style) a = Mul (mean, some) y = Add (x, a)
    }}"""
    found = recognized(ir.from_onnx_text(text), tmp_path)
    assert found is not None
    assert found.inputs[1].shape == [1, 3, 32, 32]
    assert isinstance(found.inputs[1], ReferenceInput)
