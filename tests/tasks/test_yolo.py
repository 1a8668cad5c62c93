"""Detectors without metadata."""

from __future__ import annotations

import pytest

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import DetectTask, ImageInput
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.postprocess.output_names import DETECTIONS
from webbuild.postprocess.yolo import YoloPostprocess
from webbuild.tasks.detect import TASK
from webbuild.tasks.task_match import TaskMatch

CELLS = 12 * 8 + 6 * 4 + 3 * 2
NAMES = {"names": "{0: 'cup', 1: 'dog'}", "stride": "32"}


def seen(
    *shapes: tuple[int, ...],
    metadata: dict[str, str] | None = None,
    operators: tuple[str, ...] = (),
    asked: bool = True,
) -> TaskMatch | None:
    inputs = (TensorSpec("images", "float32", (1, 3, 96, 64)),)
    outputs = tuple(TensorSpec(f"out{i}", "float32", shape) for i, shape in enumerate(shapes))
    signature = ModelSignature("m.onnx", "", metadata or {}, inputs, outputs, frozenset(operators))
    return TASK.infer(signature, requested=asked)


def picture(found: TaskMatch) -> ImageInput:
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    return image


def test_three_anchors_a_cell_are_a_yolov5() -> None:
    found = seen((1, 3 * CELLS, 7), metadata=NAMES, asked=False)
    assert found is not None
    assert isinstance(found.postprocess, YoloPostprocess)
    assert found.task == DetectTask(output=DETECTIONS, rows=300, classes=["cup", "dog"])
    spec = found.postprocess
    assert (spec.layout, spec.classes, spec.strides, spec.size) == ("rows", 2, (), (96, 64))
    assert (picture(found).color, picture(found).letterbox.anchor) == ("rgb", "center")


def test_a_yolov7_without_names_is_a_guess_where_it_is_the_only_output() -> None:
    found = seen((1, 3 * CELLS, 85), asked=False)
    assert found is not None
    assert found.guessed
    assert seen((1, 3 * CELLS, 85), (1, 32, 24, 16), asked=False) is None
    assert seen((1, 3, 12, 8, 84), (1, 3 * CELLS, 85), asked=False) is None


def test_the_grids_that_rows_were_decoded_from_may_lie_beside_them() -> None:
    grids = ((1, 3, 12, 8, 85), (1, 3, 6, 4, 85), (1, 3, 3, 2, 85))
    found = seen((1, 3 * CELLS, 85), *grids, asked=False)
    assert found is not None
    assert isinstance(found.postprocess, YoloPostprocess)
    assert (found.guessed, found.postprocess.output) == (True, "out0")


def test_a_yolov7_without_names_is_known_where_the_user_says_detect() -> None:
    shape = (1, 3 * CELLS, 85)
    found = seen((1, 3, 12, 8, 85), shape)
    assert found is not None
    assert isinstance(found.postprocess, YoloPostprocess)
    assert isinstance(found.task, DetectTask)
    assert (found.postprocess.output, len(found.task.classes), found.task.classes[79]) == ("out1", 80, "toothbrush")
    assert any("COCO" in sentence for sentence in found.assumptions)


@pytest.mark.parametrize(("operators", "strides"), [(("Conv",), (8, 16, 32)), (("Conv", "Exp"), ())])
def test_one_anchor_a_cell_is_a_yolox_decoded_if_it_has_an_exponential(
    operators: tuple[str, ...], strides: tuple[int, ...]
) -> None:
    found = seen((1, CELLS, 8), operators=operators)
    assert found is not None
    assert isinstance(found.postprocess, YoloPostprocess)
    assert isinstance(found.task, DetectTask)
    assert (found.postprocess.layout, found.postprocess.classes, found.postprocess.strides) == ("rows", 3, strides)
    assert found.task.classes == ["class 0", "class 1", "class 2"]
    image = picture(found)
    assert (image.color, image.scale, image.letterbox.anchor, image.letterbox.pad) == ("bgr", 1, "top-left", 114)


def test_columns_without_metadata_are_a_newer_yolo() -> None:
    found = seen((1, 6, CELLS))
    assert found is not None
    assert isinstance(found.postprocess, YoloPostprocess)
    assert (found.postprocess.layout, found.postprocess.classes) == ("columns", 2)


def test_names_of_another_number_are_refused_where_the_user_asked() -> None:
    assert seen((1, CELLS, 8), metadata=NAMES, asked=False) is None
    with pytest.raises(WebbuildError, match=r"3 class scores, the metadata 2 name") as caught:
        seen((1, CELLS, 8), metadata=NAMES)
    assert caught.value.code == "class-count-mismatch"


@pytest.mark.parametrize("shape", [(1, CELLS + 1, 8), (1, CELLS, 5), (1, 4, CELLS), (2, CELLS, 8), (1, 3, CELLS, 8)])
def test_other_shapes_are_none_of_them(shape: tuple[int, ...]) -> None:
    assert seen(shape) is None


def test_what_says_another_task_is_none_of_them() -> None:
    assert seen((1, 6, CELLS), metadata={**NAMES, "task": "pose"}) is None


def test_one_class_without_a_name_is_an_object() -> None:
    found = seen((1, CELLS, 6))
    assert found is not None
    assert isinstance(found.task, DetectTask)
    assert found.task.classes == ["object"]
