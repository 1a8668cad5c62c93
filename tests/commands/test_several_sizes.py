"""`pack --size 32,48`: one bundle for several sizes; its graphs share the weights and are each compared."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import numpy as np
import onnx
import pytest

from tests.commands.program import pack, refused, webbuild
from tests.models import HEADER, parsed, save, weights
from webbuild.compile import model_variant
from webbuild.manifest.manifest import Manifest, TensorInput
from webbuild.manifest.variant_names import picture_size, variant_names
from webbuild.ortweb import packaged_assets
from webbuild.runners.native import NativeRunner
from webbuild.verify.bundle import Bundle
from webbuild.verify.merged_weights import materialize_graph

pytestmark = pytest.mark.usefixtures("stand_in")

WIDE = f"""{HEADER}
pictures (float[n,3,h,w] x) => (float[n,4,a,b] y)
{{
  grown = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, w)
  bent = Relu (grown)
  y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (bent, v)
}}
"""
FIXED = WIDE.replace("n,3,h,w", "1,3,32,32").replace("n,4,a,b", "1,4,32,32")


def model(folder: Path, text: str = WIDE, channels: int = 256) -> Path:
    proto = parsed(text)
    for name, array in (("w", weights(channels, 3, 3, 3)), ("v", weights(4, channels, 3, 3, seed=1))):
        proto.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return save(proto, folder / "wide.onnx")


def model_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in (folder / "model").iterdir())


@pytest.fixture(scope="module")
def three(stand_in_root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Manifest, Path]:
    folder = tmp_path_factory.mktemp("three")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(packaged_assets, "WEB_ROOT", stand_in_root)
        return pack(model(folder), "--size", "32,48x32,64"), folder / "out"


def test_every_size_has_graphs_of_its_own_that_share_the_weights(three: tuple[Manifest, Path]) -> None:
    manifest, folder = three
    assert variant_names(manifest) == ["32x32", "48x32", "64x64"]
    every = manifest.every_variant
    assert [picture_size(each) for each in every] == [(32, 32), (48, 32), (64, 64)]
    assert [each.outputs[0].shape for each in every] == [[1, 4, 32, 32], [1, 4, 32, 48], [1, 4, 64, 64]]
    assert len({graph.file for each in every for graph in each.graphs if graph.target == "wasm"}) == 3
    assert len({tuple(graph.weights) for each in every for graph in each.graphs}) == 1
    listed = {file.path for file in manifest.files} | {part for file in manifest.files for part in file.parts}
    assert {path for each in every for graph in each.graphs for path in (graph.file, *graph.weights)} <= listed
    assert all((folder / path).is_file() for path in listed - {file.path for file in manifest.files if file.parts})


def test_other_sizes_add_little_more_than_their_graphs(tmp_path: Path) -> None:
    sizes = {}
    for each in ("32", "32,36,40"):
        (tmp_path / each).mkdir()
        pack(model(tmp_path / each, channels=2000), "--size", each)
        sizes[each] = model_bytes(tmp_path / each / "out")
    assert sizes["32"] < sizes["32,36,40"] < 1.01 * sizes["32"]


def test_the_stored_graph_of_each_size_answers_as_the_model_does(three: tuple[Manifest, Path]) -> None:
    manifest, folder = three
    original = NativeRunner(folder.parent / "wide.onnx")
    for variant in manifest.every_variant:
        picture = np.random.default_rng(0).random(variant.inputs[0].shape, np.float32)
        for graph in variant.graphs:
            with materialize_graph(Bundle(folder, variant), graph) as path:
                got = NativeRunner(path).run({"x": picture})["y"]
            np.testing.assert_allclose(got, original.run({"x": picture})["y"], rtol=1e-5, atol=1e-5)


def test_reports_say_which_size_was_compared(three: tuple[Manifest, Path]) -> None:
    report = json.loads((three[1] / "report.json").read_text())
    runners = {each["subject"]["runner"] for each in report["comparisons"]}
    names = {f"{target} {size}" for target in ("webgpu", "wasm") for size in ("32x32", "48x32", "64x64")}
    assert runners == names == {each["graph"] for each in report["downloads"]}
    page = (three[1] / "report.html").read_text()
    assert all(f"WASM {size}" in page for size in ("32x32", "48x32", "64x64"))


def test_a_size_that_answers_otherwise_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    compile_variants = model_variant.compile_variants

    def with_one_wrong(*given: object) -> list[model_variant.ModelVariant]:
        variants = compile_variants(*given)  # type: ignore[arg-type]
        for target in variants[1].compiled.lowered.graphs.values():
            (relu,) = [node for node in target.graph if node.op_type == "Relu"]
            relu.op_type = "Abs"
        return variants

    with patch("webbuild.commands.pack_compile.compile_variants", with_one_wrong):
        done = webbuild("pack", model(tmp_path), "-o", tmp_path / "out", "--size", "32,48", "--no-verify")
    assert (done.code, done.error) == (1, "output-mismatch")
    assert "48x48: " in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_model_of_one_size_is_refused_with_that_size(tmp_path: Path) -> None:
    done = webbuild("pack", model(tmp_path, FIXED), "-o", tmp_path / "out", "--size", "32,48", "--no-verify")
    assert (done.code, done.error) == (2, "fixed-size")
    assert "48x48: " in done.stderr
    assert "input 'x' takes pictures of 32x32, fixed when it was exported" in done.stderr


def test_quantized_weights_serve_every_size(tmp_path: Path) -> None:
    manifest = pack(model(tmp_path), "--size", "32,48", "--weight-dtype", "int8")
    every = manifest.every_variant
    assert {graph.weight_dtype for each in every for graph in each.graphs} == {"int8"}
    assert len({tuple(graph.weights) for each in every for graph in each.graphs}) == 1
    runners = {
        each["subject"]["runner"] for each in json.loads((tmp_path / "out" / "report.json").read_text())["comparisons"]
    }
    assert runners == {f"{target} {size}" for target in ("webgpu", "wasm") for size in ("32x32", "48x48")}


def test_every_size_has_a_graph_in_half_precision_that_shares_the_weights(tmp_path: Path) -> None:
    manifest = pack(model(tmp_path), "--size", "32,48", "--precision", "mixed")
    half = [[graph for graph in each.graphs if graph.precision != "fp32"] for each in manifest.every_variant]
    assert [[graph.features for graph in graphs] for graphs in half] == [[["shader-f16"]]] * 2
    assert len({tuple(graph.weights) for graphs in half for graph in graphs}) == 1
    runners = {
        each["subject"]["runner"] for each in json.loads((tmp_path / "out" / "report.json").read_text())["comparisons"]
    }
    assert {each for each in runners if "fp16" in each or "mixed" in each} == {
        f"webgpu {graphs[0].precision} {size}" for graphs, size in zip(half, ("32x32", "48x48"), strict=True)
    }


@pytest.mark.parametrize("given", [("--size", "8,12x8"), ("--size", "32,48x32", "--task", "tensor")])
def test_inputs_that_stay_tensors_have_several_sizes(given: tuple[str, ...], tmp_path: Path) -> None:
    manifest = pack(model(tmp_path, channels=8), *given)
    sizes = [f"{width}x{height}" for *_, height, width in (each.inputs[0].shape for each in manifest.every_variant)]
    assert all(isinstance(each.inputs[0], TensorInput) for each in manifest.every_variant)
    assert variant_names(manifest) == sizes
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    names = {f"{target} {size}" for target in ("webgpu", "wasm") for size in sizes}
    assert {each["subject"]["runner"] for each in report["comparisons"]} == names
    assert {each["graph"] for each in report["downloads"]} == names


def test_samples_of_tensors_fit_one_size_alone(tmp_path: Path) -> None:
    path = model(tmp_path)
    np.savez(tmp_path / "a.npz", x=np.random.default_rng(0).random((1, 3, 32, 32), np.float32))
    assert refused(path, "--size", "32,48", "--sample", str(tmp_path / "a.npz")) == "invalid-sample"
