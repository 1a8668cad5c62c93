"""Task recognition from untrusted names."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tests.manifests import pose_task
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import DetectTask, ImageInput, ObbTask, PoseTask, SegmentTask, TensorTask
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.postprocess.yolo import YoloPostprocess
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.tasks.pose import TASK
from webbuild.tasks.registry import match_task, task_kinds
from webbuild.tasks.run_context import RunContext

GOOD = {"task": "pose", "names": "{0: 'person'}", "kpt_shape": "[17, 3]"}


def facts(metadata: dict[str, str], shape: tuple[Dim, ...] = (1, 300, 57), dtype: str = "float32") -> ModelSignature:
    inputs = (TensorSpec("images", dtype, (1, 3, 192, 192)),)
    outputs = (TensorSpec("output0", "float32", shape),)
    return ModelSignature("m.onnx", "", metadata, inputs, outputs, frozenset({"NonMaxSuppression"}))


def test_the_tasks_are_found_by_their_files() -> None:
    assert {"pose", "tensor"} <= set(task_kinds())


def test_a_pose_export_is_known_by_its_metadata() -> None:
    found = match_task(facts(GOOD))
    assert isinstance(found.task, PoseTask)
    assert (found.task.output, found.task.rows, found.task.classes) == ("output0", 300, ["person"])
    assert (len(found.task.keypoints), found.task.keypoint_size) == (17, 3)
    assert isinstance(found.inputs[0], ImageInput)
    assert len(found.assumptions) == 3


@pytest.mark.parametrize("names", ["['a', 'b']", "{0: 'a', 1: 'b'}", "{1: 'b', 0: 'a'}"])
def test_class_names_come_in_the_order_of_their_indices(names: str) -> None:
    task = match_task(facts({**GOOD, "names": names})).task
    assert isinstance(task, PoseTask)
    assert task.classes == ["a", "b"]


def test_other_keypoints_than_cocos_get_numbers() -> None:
    task = match_task(facts({**GOOD, "kpt_shape": "[4, 2]"}, (1, 300, 6 + 8))).task
    assert isinstance(task, PoseTask)
    assert [point.name for point in task.keypoints] == [f"keypoint {i}" for i in range(4)]
    assert (task.keypoint_size, task.skeleton) == (2, [])


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {**GOOD, "task": "detect"},
        {**GOOD, "names": "{1: 'one'}"},
        {**GOOD, "names": "{0: 'a', 'b': 1}"},
        {**GOOD, "names": "__import__('os').system('true')"},
        {**GOOD, "names": "[" * 100_000},
        {**GOOD, "names": "'" + "x" * 300_000 + "'"},
        {**GOOD, "names": "{[]: 1}"},
        {**GOOD, "kpt_shape": "[17, 4]"},
        {**GOOD, "kpt_shape": "[-17, 3]"},
        {**GOOD, "kpt_shape": "[True, 3]"},
        {**GOOD, "kpt_shape": "17"},
        {**GOOD, "kpt_shape": "[16, 3]"},
    ],
)
def test_metadata_that_does_not_fit_makes_it_a_model_of_tensors(metadata: dict[str, str]) -> None:
    assert isinstance(match_task(facts(metadata)).task, TensorTask)


@pytest.mark.parametrize("shape", [(1, 300, 56), (1, 300), (300, 57, 1, 1), (2, 300, 57), (1, "rows", 57)])
def test_an_output_that_does_not_fit_makes_it_a_model_of_tensors(shape: tuple[Dim, ...]) -> None:
    assert isinstance(match_task(facts(GOOD, shape)).task, TensorTask)


def test_an_input_that_no_browser_can_feed_is_refused_by_name() -> None:
    with pytest.raises(WebbuildError, match=r"'images' is float16") as caught:
        match_task(facts({}, dtype="float16"))
    assert caught.value.code == "unsupported-dtype"
    assert "float32" in caught.value.fix


def test_a_class_beyond_the_names_has_a_number() -> None:
    placement = ImagePlacement(8, 8, 0, 0, 8, 8, 8, 8)
    rows = [[0, 0, 4, 4, 0.5, 7, 1, 1, 0.5, 2, 2, 0.5], [0, 0, 4, 4, 0.4, 0, 1, 1, 0.5, 2, 2, 0.5]]
    outputs = {"rows": np.array([rows])}
    assert [pose.label for pose in TASK.decode(pose_task(), outputs, RunContext(placement))] == ["class 7", "person"]


def test_a_detection_export_is_known_by_its_metadata() -> None:
    found = match_task(facts({"task": "detect", "names": "{0: 'cup', 1: 'dog'}"}, (1, 300, 6)))
    assert isinstance(found.task, DetectTask)
    assert (found.task.output, found.task.rows, found.task.classes) == ("output0", 300, ["cup", "dog"])
    assert isinstance(found.inputs[0], ImageInput)
    assert len(found.assumptions) == 2


@pytest.mark.parametrize(
    ("metadata", "shape"),
    [
        ({"names": ""}, (1, 300, 6)),
        ({}, (1, 84, 8400)),
        ({}, (2, 300, 6)),
        ({}, (1, "n", 6)),
    ],
    ids=["no names", "other columns", "two pictures", "free number of rows"],
)
def test_other_detectors_are_plain_tensors(metadata: dict[str, str], shape: tuple[Dim, ...]) -> None:
    found = match_task(facts({"task": "detect", "names": "{0: 'cup'}", **metadata}, shape))
    assert isinstance(found.task, TensorTask)


def segmenter(*shapes: tuple[Dim, ...], **metadata: str) -> ModelSignature:
    outputs = tuple(TensorSpec(f"output{i}", "float32", shape) for i, shape in enumerate(shapes))
    known = {"task": "segment", "names": "{0: 'cup', 1: 'dog'}", **metadata}
    return msgspec.structs.replace(facts(known), outputs=outputs)


def test_a_segmentation_export_is_known_by_its_metadata() -> None:
    found = match_task(segmenter((1, 300, 38), (1, 32, 48, 48)))
    assert found.task == SegmentTask(
        output="output0", protos="output1", rows=300, classes=["cup", "dog"], mask_coefficients=32
    )
    assert isinstance(found.inputs[0], ImageInput)
    assert "32 mask prototypes" in found.assumptions[0]
    assert found.postprocess is None


@pytest.mark.parametrize(
    ("shape", "metadata", "layout"),
    [((1, 38, 756), {}, "columns"), ((1, 300, 38), {"end2end": "True"}, "final")],
    ids=["raw", "end to end"],
)
def test_a_segmenter_without_suppression_gets_a_head(
    shape: tuple[Dim, ...], metadata: dict[str, str], layout: str
) -> None:
    found = match_task(segmenter(shape, (1, 32, 48, 48), args="{'nms': False}", **metadata))
    assert isinstance(found.task, SegmentTask)
    assert (found.task.output, found.task.protos, found.task.rows) == ("detections", "output1", 300)
    assert isinstance(found.postprocess, YoloPostprocess)
    assert (found.postprocess.layout, found.postprocess.extra_columns) == (layout, 32)


@pytest.mark.parametrize(
    "model",
    [
        segmenter((1, 300, 38)),
        segmenter((1, 300, 37), (1, 32, 48, 48)),
        segmenter((1, 32, 48, 48), (1, 300, 38)),
        segmenter((1, 300, 38), (1, 32, 48, "w")),
        segmenter((1, 300, 38), (2, 32, 48, 48)),
        segmenter((1, 38, 756), (1, 32, 48, 48)),
        segmenter((1, 300, 38), (1, 32, 48, 48), task="detect"),
        segmenter((1, 300, 38), (1, 32, 48, 48), (1, 1)),
    ],
    ids=["one", "columns", "order", "free size", "two pictures", "no suppression", "task", "three"],
)
def test_other_segmenters_are_plain_tensors(model: ModelSignature) -> None:
    assert isinstance(match_task(model).task, TensorTask)


def test_an_export_of_rotated_boxes_is_known_by_its_metadata() -> None:
    found = match_task(facts({"task": "obb", "names": "{0: 'ship'}"}, (1, 300, 7)))
    assert found.task == ObbTask(output="output0", rows=300, classes=["ship"])
    assert len(found.assumptions) == 2


@pytest.mark.parametrize("shape", [(1, 300, 6), (1, 6, 189), (2, 300, 7), (1, "n", 7)])
def test_other_rotated_boxes_are_plain_tensors(shape: tuple[Dim, ...]) -> None:
    assert isinstance(match_task(facts({"task": "obb", "names": "{0: 'ship'}"}, shape)).task, TensorTask)
