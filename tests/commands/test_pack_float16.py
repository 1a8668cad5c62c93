"""Models whose inputs and outputs are float16: pages give and get float32, compared with the original's float16."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.commands.program import pack, webbuild
from tests.compared import verdicts
from tests.models import DETECT, convolution, detector, save
from webbuild.equivalence.detection_thresholds import open_reference
from webbuild.manifest.manifest import DetectTask, ImageInput
from webbuild.model.load import load_onnx
from webbuild.runners.native import NativeRunner

pytestmark = pytest.mark.usefixtures("stand_in")

NOTE = "float32 in place of float16, with a Cast in the graph: input"


def half(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model in float16: its weights, inputs and outputs."""
    for tensor in model.graph.initializer:
        if tensor.data_type == tensor.FLOAT:
            array = onnx.numpy_helper.to_array(tensor).astype(np.float16)
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    return model


def test_tensors_are_float32_and_the_output_says_so(tmp_path: Path) -> None:
    path = save(half(convolution()), tmp_path / "m.onnx")
    manifest = pack(path)
    assert [spec.dtype for spec in (*manifest.inputs, *manifest.outputs)] == ["float32", "float32"]
    report = json.loads((tmp_path / "out" / "report.json").read_bytes())
    assert f"{NOTE} 'x', output 'y'" in report["assumptions"]
    assert verdicts(report["comparisons"]) == {"OK"}


def test_a_detector_of_pictures_packs_with_its_post_processing(tmp_path: Path) -> None:
    manifest = pack(save(half(detector(metadata=DETECT)), tmp_path / "m.onnx"))
    assert isinstance(manifest.task, DetectTask)
    assert isinstance(manifest.inputs[0], ImageInput)
    assert [output.name for output in manifest.outputs] == ["detections"]


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
