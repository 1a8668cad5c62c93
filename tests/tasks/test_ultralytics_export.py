"""The three forms of an Ultralytics export: how each is recognized from the metadata of two releases."""

from __future__ import annotations

import pytest

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import DepthTask, DetectTask, ImageInput, PoseTask, TensorTask
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.postprocess.output_names import DETECTIONS
from webbuild.postprocess.yolo import YoloPostprocess
from webbuild.tasks.recognition.coco_keypoints import KEYPOINTS, SKELETON
from webbuild.tasks.registry import match_task
from webbuild.tasks.task_match import TaskMatch

OLD = {"args": "{'batch': 1, 'half': False, 'dynamic': False, 'simplify': True, 'opset': 17, 'nms': False}"}
"""The metadata of release 8.3 for an export without NMS, raw or end-to-end."""
NEW = {"args": "{'data': None, 'quantize': None, 'nms': None}", "end2end": "False", "head": "Detect"}
NEW_FINAL = {"args": "{'data': None, 'quantize': None, 'nms': False}", "end2end": "True", "head": "v10Detect"}
"""The metadata of release 8.4 for a raw and for an end-to-end export."""
DETECT = {"task": "detect", "names": "{0: 'cup', 1: 'dog'}"}
POSE = {"task": "pose", "names": "{0: 'person'}", "kpt_shape": "[17, 3]"}
CONVOLUTIONS = frozenset({"Conv", "TopK", "Mod"})


def seen(
    metadata: dict[str, str], shape: tuple[Dim, ...], operators: frozenset[str] = CONVOLUTIONS, channels: int = 3
) -> TaskMatch:
    inputs = (TensorSpec("images", "float32", (1, channels, 96, 64)),)
    outputs = (TensorSpec("output0", "float32", shape),)
    return match_task(ModelSignature("m.onnx", "", metadata, inputs, outputs, operators))


@pytest.mark.parametrize("release", [OLD, NEW, {}], ids=["8.3", "8.4", "silent"])
def test_a_raw_export_is_given_a_head(release: dict[str, str]) -> None:
    found = seen({**DETECT, **release}, (1, 6, 126))
    assert isinstance(found.task, DetectTask)
    assert (found.task.output, found.task.rows, found.task.classes) == (DETECTIONS, 126, ["cup", "dog"])
    assert found.postprocess == YoloPostprocess(output="output0", layout="columns", size=(96, 64), classes=2)
    assert "0.25" in found.assumptions[-1]
    assert "0.7" in found.assumptions[-1]


def test_an_export_for_grey_pictures_is_recognized() -> None:
    found = seen({**DETECT, **NEW, "channels": "1"}, (1, 6, 126), channels=1)
    assert isinstance(found.task, DetectTask)
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.color, image.shape, image.mean) == ("gray", [1, 1, 96, 64], [0])
    assert "pictures are letterboxed with grey 114, in grey, scaled to 0..1" in found.assumptions[1]


def test_the_keypoints_of_a_raw_export_stand_behind_its_scores() -> None:
    found = seen({**POSE, **NEW}, (1, 56, 8400))
    assert isinstance(found.task, PoseTask)
    assert (found.task.output, found.task.rows) == (DETECTIONS, 300)
    assert found.postprocess == YoloPostprocess(
        output="output0", layout="columns", size=(96, 64), classes=1, extra_columns=51
    )


def test_keypoints_have_the_names_in_the_metadata() -> None:
    animal = [f"left_{index}" if index < 8 else f"tail_{index}" for index in range(17)]
    found = seen({**POSE, **NEW, "kpt_names": str({0: animal, 1: animal})}, (1, 56, 8400))
    assert isinstance(found.task, PoseTask)
    assert [each.name for each in found.task.keypoints] == animal
    assert [each.side for each in found.task.keypoints[7:9]] == ["left", "middle"]
    assert found.task.skeleton == []
    assert any("those in the metadata" in each for each in found.assumptions)


@pytest.mark.parametrize(
    "names", [{0: [each.name for each in KEYPOINTS]}, {0: ["nose"]}, {0: ["a"] * 17, 1: ["b"] * 17}, {}, {0: None}]
)
def test_names_of_coco_or_of_another_number_leave_coco_s_skeleton(names: dict[int, list[str]]) -> None:
    found = seen({**POSE, **NEW, "kpt_names": str(names)}, (1, 56, 8400))
    assert isinstance(found.task, PoseTask)
    assert (found.task.keypoints, found.task.skeleton) == (KEYPOINTS, SKELETON)


def test_a_depth_map_is_in_metres_and_of_the_stretched_picture() -> None:
    found = seen({"task": "depth", "names": "{0: 'a'}", **NEW}, (1, 1, 96, 64))
    assert isinstance(found.task, DepthTask)
    assert (found.task.output, found.task.quantity, found.task.unit) == ("output0", "depth", "metres")
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.scale, image.mean, image.letterbox.mode) == (1 / 255, [0.0] * 3, "stretch")


@pytest.mark.parametrize("release", [OLD, NEW_FINAL], ids=["8.3", "8.4"])
@pytest.mark.parametrize(("metadata", "extra"), [(DETECT, 0), (POSE, 51)], ids=["detect", "pose"])
def test_an_end_to_end_export_is_given_a_threshold(
    release: dict[str, str], metadata: dict[str, str], extra: int
) -> None:
    found = seen({**metadata, **release}, (1, 300, 6 + extra))
    assert isinstance(found.task, DetectTask | PoseTask)
    assert (found.task.output, found.task.rows) == (DETECTIONS, 300)
    assert found.postprocess == YoloPostprocess(
        output="output0", layout="final", size=(96, 64), classes=0, extra_columns=extra
    )
    assert "end-to-end" in found.assumptions[-1]


@pytest.mark.parametrize("release", [{"args": "{'nms': True}"}, {"args": "{'nms': True}", "end2end": "False"}])
def test_a_suppressed_export_is_taken_as_it_is(release: dict[str, str]) -> None:
    found = seen({**DETECT, **release}, (1, 300, 6))
    assert isinstance(found.task, DetectTask)
    assert (found.task.output, found.postprocess) == ("output0", None)


@pytest.mark.parametrize(
    ("metadata", "shape"),
    [({**DETECT, **NEW}, (1, 7, 126)), ({**POSE, **OLD}, (1, 57, 126)), ({**DETECT, **OLD}, (1, 84, 8400))],
)
def test_names_that_are_not_as_many_as_the_scores_are_refused(metadata: dict[str, str], shape: tuple[Dim, ...]) -> None:
    with pytest.raises(WebbuildError, match="class score") as caught:
        seen(metadata, shape)
    assert caught.value.code == "class-count-mismatch"
    assert "--task tensor" in caught.value.fix


@pytest.mark.parametrize(
    ("metadata", "shape", "operators"),
    [
        ({**DETECT, **NEW_FINAL, "head": "RTDETRDecoder"}, (1, 300, 7), CONVOLUTIONS),
        ({**DETECT, **OLD}, (1, 300, 82), CONVOLUTIONS),
        ({**DETECT, **NEW_FINAL}, (1, 300, 7), CONVOLUTIONS),
        ({**DETECT, **NEW}, (1, 4, 126), CONVOLUTIONS),
        ({**DETECT, **NEW}, (1, 6, "anchors"), CONVOLUTIONS),
        ({**DETECT, **NEW}, (2, 6, 126), CONVOLUTIONS),
    ],
    ids=["RT-DETR of seven numbers", "queries", "columns", "no scores", "free", "two pictures"],
)
def test_what_has_another_layout_stays_tensors(
    metadata: dict[str, str], shape: tuple[Dim, ...], operators: frozenset[str]
) -> None:
    assert isinstance(seen(metadata, shape, operators).task, TensorTask)
