"""Detectors exported without post-processing: packed with it, or refused with the reason."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.commands.program import pack, refused, webbuild
from tests.compared import matched, of_pictures, outputs, verdicts
from tests.models import DETECT, HEADER, detector, grid_detector, parsed, save
from webbuild.manifest.manifest import DetectTask, PoseTask, TensorTask
from webbuild.postprocess import reference
from webbuild.postprocess.reference_nms import reference_nms

pytestmark = pytest.mark.usefixtures("stand_in")


def test_a_raw_detector_packs_with_a_head_of_its_own(tmp_path: Path) -> None:
    manifest = pack(save(detector(metadata=DETECT), tmp_path / "m.onnx"))
    assert isinstance(manifest.task, DetectTask)
    assert (manifest.task.output, manifest.task.rows) == ("detections", 64)
    assert [(spec.name, spec.shape) for spec in manifest.outputs] == [("detections", [1, 64, 6])]
    assert [spec.name for spec in manifest.inputs] == ["images", "confidence", "iou"]
    assert [bool(graph.suppression) for graph in manifest.graphs] == [True, False]
    assert manifest.golden is not None
    assert manifest.evaluation_thresholds["confidence"] == 0.25, "the exported threshold finds something"
    assert list(manifest.golden.outputs) == ["detections"]
    comparisons = json.loads((tmp_path / "out" / "report.json").read_bytes())["comparisons"]
    assert (outputs(comparisons), verdicts(comparisons)) == ({"detections"}, {"OK"})
    assert 0 not in matched(of_pictures(comparisons)).values()


def test_a_raw_pose_model_packs_too(tmp_path: Path) -> None:
    metadata = {**DETECT, "task": "pose", "kpt_shape": "[2, 3]"}
    manifest = pack(save(detector(extra=6, metadata=metadata), tmp_path / "m.onnx"))
    assert isinstance(manifest.task, PoseTask)
    assert manifest.outputs[0].shape == [1, 64, 12]


_PER_LEVEL = {"cls": 1, "obj": 1, "bbox": 4, "kps": 10}
"""Outputs of a detector with separate levels, as in YuNet's export, and their columns."""


@pytest.mark.parametrize("numbers", [7, 85])
@pytest.mark.parametrize("anchors", [21, 63], ids=["YOLOX", "YOLOv5"])
def test_a_detector_that_says_nothing_of_itself_packs_where_the_user_says_detect(
    tmp_path: Path, anchors: int, numbers: int
) -> None:
    model = save(grid_detector(anchors, numbers), tmp_path / "m.onnx")
    assert isinstance(pack(model).task, TensorTask)
    shutil.rmtree(tmp_path / "out")
    manifest = pack(model, "--task", "detect")
    assert isinstance(manifest.task, DetectTask)
    assert (manifest.task.rows, len(manifest.task.classes)) == (anchors, numbers - 5)
    comparisons = json.loads((tmp_path / "out" / "report.json").read_bytes())["comparisons"]
    assert sum(matched(comparisons).values()) > 20


def test_a_detector_of_another_shape_is_refused_with_its_shape(tmp_path: Path) -> None:
    model = save(grid_detector(22, 7), tmp_path / "m.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", "--task", "detect")
    assert done.error == "task-mismatch"
    assert "[1, 22, 7]" in done.stderr


def test_a_head_for_each_level_is_refused_with_its_twelve_outputs(tmp_path: Path) -> None:
    outputs = {f"{name}_{level}": columns for level in (8, 16, 32) for name, columns in _PER_LEVEL.items()}
    listed = ", ".join(f"float[1,16,{columns}] {name}" for name, columns in outputs.items())
    nodes = " ".join(
        f"t_{name} = Slice (table, zero, n{columns}, two) {name} = Sigmoid (t_{name})"
        for name, columns in outputs.items()
    )
    model = parsed(f"""{HEADER} per_level (float[1,3,32,32] input) => ({listed})
    <int64[1] zero = {{0}}, int64[1] n1 = {{1}}, int64[1] n4 = {{4}}, int64[1] n10 = {{10}}, int64[1] two = {{2}},
     int64[3] shape = {{1, 16, 192}}>
    {{ table = Reshape (input, shape) {nodes} }}""")
    done = webbuild("pack", save(model, tmp_path / "m.onnx"), "-o", tmp_path / "out", "--no-verify", "--task", "detect")
    assert (done.code, done.error) == (2, "task-mismatch")
    assert "'kps_32' float32 [1, 16, 10]" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_task_whose_shapes_fit_and_whose_numbers_do_not_is_not_advised_again(tmp_path: Path) -> None:
    model = parsed(f"""{HEADER} g (float[1,3,64,64] x) => (float[1,4800,1] scores, float[1,4800,4] boxes)
    <int64[1] zero = {{0}}, int64[1] end = {{4800}}, int64[1] one = {{1}}, int64[3] ones = {{1, 4800, 1}},
     int64[2] times = {{1, 4}}, int64[3] fours = {{1, 4800, 4}}>
    {{ a = Flatten (x) b = Slice (a, zero, end, one) c = Reshape (b, ones) scores = Sigmoid (c)
       d = Tile (b, times) boxes = Reshape (d, fours) }}""")
    done = webbuild("pack", save(model, tmp_path / "m.onnx"), "--dry-run", "--task", "detect")
    assert done.error == "task-mismatch"
    assert "on two photographs their numbers are not scores and boxes" in done.stderr
    assert "detect" not in done.stderr.partition("fix:")[2]


def unsure_detector() -> onnx.ModelProto:
    """Return a detector whose scores are all below the threshold 0.25."""
    model = detector(metadata=DETECT)
    bias = next(tensor for tensor in model.graph.initializer if tensor.name == "bias")
    lower = onnx.numpy_helper.to_array(bias) - np.array([0, 0, 0, 0, 5, 5], np.float32)
    bias.CopyFrom(onnx.numpy_helper.from_array(lower, "bias"))
    return model


def test_scores_below_the_threshold_are_compared_at_a_lower_one(tmp_path: Path) -> None:
    manifest = pack(save(unsure_detector(), tmp_path / "m.onnx"))
    assert 0 < manifest.evaluation_thresholds["confidence"] < 0.25
    comparisons = json.loads((tmp_path / "out" / "report.json").read_bytes())["comparisons"]
    assert sum(matched(comparisons).values()) > 10


def test_a_head_that_computes_something_else_is_not_emitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "reference_nms", lambda raw, output, *_: reference_nms(raw, output, 0.3, 0.2))
    assert refused(save(detector(metadata=DETECT), tmp_path / "m.onnx")) == "output-mismatch"


def test_a_difference_at_the_threshold_is_not_hidden_by_a_lower_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference, "reference_nms", lambda raw, output, *_: reference_nms(raw, output, 0.01, 0.7))
    assert refused(save(unsure_detector(), tmp_path / "m.onnx")) == "output-mismatch"


def test_names_that_do_not_fit_the_scores_are_refused(tmp_path: Path) -> None:
    model = save(detector(3, metadata=DETECT), tmp_path / "m.onnx")
    assert refused(model) == "class-count-mismatch"
    assert isinstance(pack(model, "--task", "tensor").task, TensorTask)


def test_a_head_that_cannot_be_appended_is_refused_with_the_reason(tmp_path: Path) -> None:
    model = detector(metadata=DETECT)
    model.opset_import[0].version, model.ir_version = 9, 4
    model.graph.input.extend(onnx.helper.make_tensor_value_info(t.name, 1, t.dims) for t in model.graph.initializer[1:])
    model.graph.input.append(onnx.helper.make_tensor_value_info("flat", 7, [3]))
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([1, 1, 2, 0.5], np.float32), "mixed"))
    model.graph.input.append(onnx.helper.make_tensor_value_info("mixed", 1, [4]))
    model.opset_import[0].version, model.ir_version = 10, 5
    model.graph.input[0].type.tensor_type.shape.dim[2].dim_value = 16
    model.graph.input[0].type.tensor_type.shape.dim[3].dim_value = 64
    model.graph.node[0].input[0] = "sized"
    model.graph.node.insert(0, onnx.helper.make_node("Resize", ["images", "mixed"], ["sized"], mode="nearest"))
    done = webbuild("pack", save(model, tmp_path / "m.onnx"), "-o", tmp_path / "out", "--no-verify")
    assert done.error == "postprocess-not-appended"
    assert "opset is older than 11, and Resize" in done.stderr
    assert "cannot be converted" in done.stderr
