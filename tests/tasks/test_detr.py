"""Recognition of set-prediction detectors by their metadata."""

from __future__ import annotations

from typing import Any

import pytest

from webbuild.manifest.manifest import DetectTask, ImageInput, SizeInput
from webbuild.model.hub_files import HubFiles
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.tasks.recognition.coco_classes import COCO_CLASSES
from webbuild.tasks.registry import match_task, task_kinds
from webbuild.tasks.task_match import TaskMatch

IMAGES = TensorSpec("images", "float32", (1, 3, 64, 96))
SIZES = TensorSpec("orig_target_sizes", "int64", (1, 2))


def parts(values: int = 80, rows: int = 5) -> tuple[TensorSpec, ...]:
    return (
        TensorSpec("labels", "int64", (1, rows), "Mod", values),
        TensorSpec("boxes", "float32", (1, rows, 4)),
        TensorSpec("scores", "float32", (1, rows)),
    )


def queries(columns: int, names: tuple[str, str] = ("logits", "pred_boxes")) -> tuple[TensorSpec, ...]:
    return TensorSpec(names[0], "float32", (1, 5, columns)), TensorSpec(names[1], "float32", (1, 5, 4))


def facts(
    inputs: tuple[TensorSpec, ...],
    outputs: tuple[TensorSpec, ...],
    config: dict[str, Any] | None = None,
    preprocessor: dict[str, Any] | None = None,
    metadata: dict[str, str] | None = None,
) -> ModelSignature:
    beside = HubFiles(config or {}, preprocessor or {})
    return ModelSignature("m.onnx", "pytorch", metadata or {}, inputs, outputs, frozenset(), beside)


def labels(*names: str) -> dict[str, Any]:
    return {"id2label": {str(index): name for index, name in enumerate(names)}}


def found(known: TaskMatch) -> tuple[DetectTask, DetrPostprocess, ImageInput]:
    image = known.inputs[0]
    assert isinstance(known.task, DetectTask)
    assert isinstance(known.postprocess, DetrPostprocess)
    assert isinstance(image, ImageInput)
    return known.task, known.postprocess, image


def test_labels_boxes_and_scores_are_an_rt_detr() -> None:
    known = match_task(facts((IMAGES, SIZES), parts()))
    task, raw, image = found(known)
    assert task == DetectTask(output="detections", rows=5, classes=COCO_CLASSES)
    assert raw == DetrPostprocess(
        layout="parts",
        output="scores",
        boxes="boxes",
        labels="labels",
        size=(64, 96),
        rows=5,
        size_input="orig_target_sizes",
    )
    assert known.inputs[1:] == (SizeInput(name="orig_target_sizes", dtype="int64", shape=[1, 2]),)
    assert (image.letterbox.mode, image.letterbox.interpolation, image.scale) == (
        "stretch",
        "bilinear-antialias",
        1 / 255,
    )
    assert (image.mean, image.std) == ([0, 0, 0], [1, 1, 1])
    assert any("width, then height of the picture;" in sentence for sentence in known.assumptions)


@pytest.mark.parametrize(
    ("name", "dtype", "shape", "order", "of"),
    [
        ("orig_size", "int32", (2,), "width-height", "picture"),
        ("target_sizes", "float32", (1, 2), "height-width", "picture"),
        ("im_shape", "float32", (1, 2), "height-width", "input"),
    ],
)
def test_the_size_has_the_type_and_shape_of_the_graph_and_the_order_of_its_name(
    name: str, dtype: str, shape: tuple[Dim, ...], order: str, of: str
) -> None:
    known = match_task(facts((IMAGES, TensorSpec(name, dtype, shape)), parts()))
    size = known.inputs[1]
    assert isinstance(size, SizeInput)
    assert (size.dtype, size.shape, size.order, size.size_of) == (dtype, list(shape), order, of)
    assert (found(known)[1].size_input, found(known)[1].size_order) == (name, order)


def test_without_a_size_boxes_are_in_pixels_of_the_input() -> None:
    known = match_task(facts((IMAGES,), parts()))
    assert found(known)[1].size_input == ""
    assert "boxes are in pixels of the input" in known.assumptions


@pytest.mark.parametrize(
    ("values", "config", "metadata", "want"),
    [
        (2, labels("cup", "dog"), {}, ["cup", "dog"]),
        (0, labels("cup", "dog"), {}, ["cup", "dog"]),
        (2, {}, {"names": "{0: 'cup', 1: 'dog'}"}, ["cup", "dog"]),
        (3, labels("cup", "dog"), {}, ["class 0", "class 1", "class 2"]),
        (2, {"id2label": {"0": "cup", "2": "dog"}}, {}, ["class 0", "class 1"]),
        (0, {}, {}, COCO_CLASSES),
    ],
)
def test_names_are_believed_where_they_are_as_many_as_the_classes(
    values: int, config: dict[str, Any], metadata: dict[str, str], want: list[str]
) -> None:
    known = match_task(facts((IMAGES, SIZES), parts(values), config, metadata=metadata))
    assert found(known)[0].classes == want


@pytest.mark.parametrize(
    ("columns", "config", "softmax", "classes"),
    [
        (80, {}, False, 80),
        (3, labels("a", "b", "c"), False, 3),
        (3, labels("a", "b"), True, 2),
        (92, {}, True, 91),
        (91, {}, False, 91),
    ],
)
def test_logits_and_boxes_are_transformers(columns: int, config: dict[str, Any], softmax: bool, classes: int) -> None:
    image = TensorSpec("pixel_values", "float32", (1, 3, 64, 64))
    task, raw, picture = found(match_task(facts((image,), queries(columns), config)))
    assert (raw.layout, raw.output, raw.boxes, raw.rows) == ("queries", "logits", "pred_boxes", 5)
    assert (raw.softmax, len(task.classes)) == (softmax, classes)
    assert picture.mean == ([0.485, 0.456, 0.406] if softmax else [0, 0, 0])


def test_a_mask_is_1_everywhere_and_no_input_any_more() -> None:
    mask = TensorSpec("pixel_mask", "int64", (1, 64, 96))
    known = match_task(facts((IMAGES, mask), queries(3)))
    assert found(known)[1].constant_masks == {"pixel_mask": (1, 64, 96)}
    assert len(known.inputs) == 1


def test_what_the_preprocessor_says_is_done() -> None:
    said = {
        "do_rescale": True,
        "rescale_factor": 1 / 128,
        "do_normalize": True,
        "image_mean": [0.5, 0.25, 0.125],
        "image_std": [0.5, 1, 2],
        "resample": 0,
        "size": {"shortest_edge": 800, "longest_edge": 1333},
    }
    known = match_task(facts((IMAGES,), queries(3), preprocessor=said))
    image = found(known)[2]
    assert (image.scale, image.mean, image.std) == (1 / 128, [0.5, 0.25, 0.125], [0.5, 1.0, 2.0])
    assert (image.letterbox.mode, image.letterbox.interpolation) == ("stretch", "nearest")
    assert any("keep their aspect" in sentence for sentence in known.assumptions)


def test_a_preprocessor_that_does_nothing_leaves_the_numbers() -> None:
    image = found(match_task(facts((IMAGES,), queries(3), preprocessor={"do_rescale": False, "do_normalize": False})))[
        2
    ]
    assert (image.scale, image.mean, image.std) == (1.0, [0, 0, 0], [1, 1, 1])


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ((IMAGES, SIZES, TensorSpec("tokens", "int64", (1, 4))), parts()),
        ((IMAGES, TensorSpec("orig_target_sizes", "int64", (1, 3))), parts()),
        ((IMAGES, TensorSpec("orig_target_sizes", "uint8", (1, 2))), parts()),
        ((SIZES,), parts()),
        ((IMAGES, SIZES), parts()[:2]),
        ((IMAGES, SIZES), (*parts(), TensorSpec("more", "float32", (1, 5)))),
        ((IMAGES, SIZES), (*parts()[:2], TensorSpec("scores", "float32", (1, 6)))),
        ((IMAGES,), queries(3, ("out0", "out1"))),
        ((IMAGES,), (queries(3)[0], TensorSpec("pred_boxes", "float32", (1, 6, 4)))),
        ((IMAGES, SIZES), queries(3)),
    ],
)
def test_anything_else_stays_tensors(inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...]) -> None:
    assert not isinstance(match_task(facts(inputs, outputs)).task, DetectTask)


def test_other_names_are_believed_where_the_user_says_detect() -> None:
    known = task_kinds()["detect"].infer(facts((IMAGES,), queries(3, ("out0", "out1"))), requested=True)
    assert known is not None
    assert (found(known)[1].output, found(known)[1].boxes) == ("out0", "out1")


def test_a_model_that_says_its_task_is_none_of_these() -> None:
    assert not isinstance(match_task(facts((IMAGES, SIZES), parts(), metadata={"task": "pose"})).task, DetectTask)


@pytest.mark.parametrize(
    ("names", "columns", "head", "layout"),
    [
        ("['a', 'b', 'c']", 7, "", "table"),
        ("['a', 'b', 'c']", 6, "", "centred"),
        ("['a', 'b']", 6, "", "table"),
        ("['a', 'b']", 6, "RTDETRDecoder", "centred"),
    ],
)
def test_ultralytics_exports_of_an_rt_detr(names: str, columns: int, head: str, layout: str) -> None:
    metadata = {"task": "detect", "names": names, **({"head": head} if head else {})}
    output = TensorSpec("output0", "float32", (1, 30, columns))
    seen = ModelSignature("m.onnx", "pytorch", metadata, (IMAGES,), (output,), frozenset({"GridSample"}))
    task, raw, image = found(match_task(seen))
    assert (raw.layout, raw.output, raw.boxes, raw.rows, raw.confidence) == (layout, "output0", "output0", 30, 0.25)
    assert raw.replaced_outputs == ("output0",)
    assert task.classes[0] == "a"
    assert (image.letterbox.mode, image.letterbox.interpolation) == ("stretch", "bilinear")


@pytest.mark.parametrize("levels", [1, 3])
def test_a_head_for_each_level_is_no_set_though_the_user_asked(levels: int) -> None:
    parts_of_a_level = {"cls": 1, "obj": 1, "bbox": 4, "kps": 10}
    outputs = tuple(
        TensorSpec(f"{name}_{8 << level}", "float32", (1, 1600 >> 2 * level, columns))
        for name, columns in parts_of_a_level.items()
        for level in range(levels)
    )
    assert task_kinds()["detect"].infer(facts((IMAGES,), outputs), requested=True) is None


def test_one_column_of_logits_is_a_class_and_not_nothing() -> None:
    known = task_kinds()["detect"].infer(facts((IMAGES,), queries(1, ("scores", "places"))), requested=True)
    assert known is not None
    assert not found(known)[1].softmax
