"""Models with float16 inputs and outputs: pages use float32, compared with the original's float16."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.commands.program import pack, webbuild
from tests.compared import verdicts
from tests.manifests import manifest
from tests.models import DETECT, convolution, detector, save
from webbuild.bundle.graphs import write_graphs
from webbuild.compare.tolerances import BROWSER, NATIVE, REDUCED_PRECISION, Tolerance
from webbuild.compile.prove import ProvenGraphs
from webbuild.compile.stages.prove_pipeline import _policy
from webbuild.equivalence.check import ComparedModel, EquivalenceResult, check_equivalence
from webbuild.equivalence.open_reference import open_reference
from webbuild.equivalence.policy import browser_policy
from webbuild.manifest.manifest import DetectTask, Feature, ImageInput, TensorTask
from webbuild.model.load import load_onnx
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import TARGETS, lower
from webbuild.runners.native import NativeRunner
from webbuild.samples.sample import Sample

pytestmark = pytest.mark.usefixtures("stand_in")

NOTE = "float32 in place of float16, with a Cast in the graph: input"


def half(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model with weights, inputs and outputs in float16."""
    for tensor in model.graph.initializer:
        if tensor.data_type == tensor.FLOAT:
            array = onnx.numpy_helper.to_array(tensor).astype(np.float16)
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    return model


def test_tensors_are_float32_and_the_output_says_so(tmp_path: Path) -> None:
    path = save(half(convolution()), tmp_path / "m.onnx")
    packed = pack(path)
    assert [spec.dtype for spec in (*packed.inputs, *packed.outputs)] == ["float32", "float32"]
    report = json.loads((tmp_path / "out" / "report.json").read_bytes())
    assert f"{NOTE} 'x', output 'y'" in report["assumptions"]
    assert verdicts(report["comparisons"]) == {"OK"}


def test_a_detector_of_pictures_packs_with_its_post_processing(tmp_path: Path) -> None:
    packed = pack(save(half(detector(metadata=DETECT)), tmp_path / "m.onnx"))
    assert isinstance(packed.task, DetectTask)
    assert isinstance(packed.inputs[0], ImageInput)
    assert [output.name for output in packed.outputs] == ["detections"]


def test_patch_says_how_the_interface_changed(tmp_path: Path) -> None:
    path = save(half(convolution()), tmp_path / "m.onnx")
    done = webbuild("patch", path, "-o", tmp_path / "out")
    assert done.code == 0, done.stderr
    assert "input 'x' is float32 [1, 3, 8, 8], was float16 [1, 3, 8, 8]" in done.stdout


def test_the_reference_computes_in_float16(tmp_path: Path) -> None:
    source = load_onnx(save(half(convolution()), tmp_path / "m.onnx"))
    runner, _ = open_reference(source)
    feeds = {"x": np.random.default_rng(0).random((1, 3, 8, 8)).astype(np.float16)}
    wide = {"x": feeds["x"].astype(np.float32)}
    (exact,) = NativeRunner(source.path).run(feeds).values()
    np.testing.assert_allclose(runner.run(wide)["y"], exact.astype(np.float32), rtol=2e-3, atol=2e-3)
    assert runner.run(wide)["y"].dtype == np.float32


@pytest.mark.parametrize(("exported", "verdict"), [(half(convolution()), "OK"), (convolution(), "DIFFERS")])
def test_a_difference_of_float16s_rounding_is_none_where_the_original_computes_in_that(
    tmp_path: Path, exported: onnx.ModelProto, verdict: str
) -> None:
    source = load_onnx(save(exported, tmp_path / "m.onnx"))
    graphs = lower(source.model, PassOptions(), TARGETS).graphs
    for weight in {each.graph.initializers["weight"] for each in graphs.values()}:
        assert weight.const_value is not None
        moved = weight.const_value.numpy().astype(np.float32) * 1.001
        weight.const_value = ir.tensor(moved.astype(weight.const_value.dtype.numpy()), name="weight")
    sample = Sample("one", {"x": np.random.default_rng(0).random((1, 3, 8, 8), np.float32)})
    written = write_graphs(graphs, tmp_path / "model")
    result = check_equivalence(ComparedModel(open_reference(source)[0], TensorTask()), written, tmp_path, [sample])
    assert [each.verdict for each in result.comparisons] == [verdict, verdict]


@pytest.mark.parametrize(("features", "tolerance"), [(["shader-f16"], REDUCED_PRECISION), ([], NATIVE)])
def test_all_stages_together_are_held_to_what_the_original_computes_in(
    features: list[Feature], tolerance: Tolerance
) -> None:
    """The graph for WASM is float32, and the original that it is compared with is float16."""
    graph = manifest().graphs[0]
    others = [msgspec.structs.replace(graph, target="webgpu", features=features), graph]
    proven = [ProvenGraphs(others, EquivalenceResult([], {}, {}, {}, {}))]
    assert _policy([[graph]], [proven]).tolerance == tolerance


def test_a_browser_is_held_to_what_float16_has_digits_for() -> None:
    graph = manifest().graphs[0]
    assert browser_policy(graph).tolerance == BROWSER
    assert browser_policy(msgspec.structs.replace(graph, features=["shader-f16"])).tolerance == REDUCED_PRECISION
