"""Detectors that predict a set of boxes, by what they say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from webbuild.companions import Companions
from webbuild.facts import Dim, ModelFacts, TensorFact
from webbuild.manifest import DetectTask, ImageInput, SizeInput
from webbuild.set_head import SetHead
from webbuild.tasks._base import Guess, guess, kinds
from webbuild.tasks.coco_classes import CLASSES

IMAGES = TensorFact("images", "float32", (1, 3, 64, 96))
SIZES = TensorFact("orig_target_sizes", "int64", (1, 2))


def parts(values: int = 80, rows: int = 5) -> tuple[TensorFact, ...]:
    return (
        TensorFact("labels", "int64", (1, rows), "Mod", values),
        TensorFact("boxes", "float32", (1, rows, 4)),
        TensorFact("scores", "float32", (1, rows)),
    )


def queries(columns: int, names: tuple[str, str] = ("logits", "pred_boxes")) -> tuple[TensorFact, ...]:
    return TensorFact(names[0], "float32", (1, 5, columns)), TensorFact(names[1], "float32", (1, 5, 4))


def facts(
    inputs: tuple[TensorFact, ...],
    outputs: tuple[TensorFact, ...],
    config: dict[str, Any] | None = None,
    preprocessor: dict[str, Any] | None = None,
    metadata: dict[str, str] | None = None,
) -> ModelFacts:
    beside = Companions(config or {}, preprocessor or {})
    return ModelFacts("m.onnx", "pytorch", metadata or {}, inputs, outputs, frozenset(), beside)


def labels(*names: str) -> dict[str, Any]:
    return {"id2label": {str(index): name for index, name in enumerate(names)}}


def found(known: Guess) -> tuple[DetectTask, SetHead, ImageInput]:
    image = known.inputs[0]
    assert isinstance(known.task, DetectTask)
    assert isinstance(known.raw, SetHead)
    assert isinstance(image, ImageInput)
    return known.task, known.raw, image


def test_labels_boxes_and_scores_are_an_rt_detr() -> None:
    known = guess(facts((IMAGES, SIZES), parts()))
    task, raw, image = found(known)
    assert task == DetectTask(output="detections", rows=5, classes=CLASSES)
    assert raw == SetHead(
        layout="parts",
        output="scores",
        boxes="boxes",
        labels="labels",
        size=(64, 96),
        rows=5,
        sized="orig_target_sizes",
    )
    assert known.inputs[1:] == (SizeInput(name="orig_target_sizes", dtype="int64", shape=[1, 2]),)
    assert (image.letterbox.mode, image.letterbox.resampler, image.scale) == ("stretch", "bilinear-antialias", 1 / 255)
    assert (image.mean, image.std) == ([0, 0, 0], [1, 1, 1])
    assert any("width, then height of the picture as int64" in sentence for sentence in known.assumptions)


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
    known = guess(facts((IMAGES, TensorFact(name, dtype, shape)), parts()))
    size = known.inputs[1]
    assert isinstance(size, SizeInput)
    assert (size.dtype, size.shape, size.order, size.of) == (dtype, list(shape), order, of)
    assert (found(known)[1].sized, found(known)[1].order) == (name, order)


def test_without_a_size_boxes_are_in_pixels_of_the_input() -> None:
    known = guess(facts((IMAGES,), parts()))
    assert found(known)[1].sized == ""
    assert "boxes are in pixels of the input" in known.assumptions


@pytest.mark.parametrize(
    ("values", "config", "metadata", "want"),
    [
        (2, labels("cup", "dog"), {}, ["cup", "dog"]),
        (0, labels("cup", "dog"), {}, ["cup", "dog"]),
        (2, {}, {"names": "{0: 'cup', 1: 'dog'}"}, ["cup", "dog"]),
        (3, labels("cup", "dog"), {}, ["class 0", "class 1", "class 2"]),
        (2, {"id2label": {"0": "cup", "2": "dog"}}, {}, ["class 0", "class 1"]),
        (0, {}, {}, CLASSES),
    ],
)
def test_names_are_believed_where_they_are_as_many_as_the_classes(
    values: int, config: dict[str, Any], metadata: dict[str, str], want: list[str]
) -> None:
    known = guess(facts((IMAGES, SIZES), parts(values), config, metadata=metadata))
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
    image = TensorFact("pixel_values", "float32", (1, 3, 64, 64))
    task, raw, picture = found(guess(facts((image,), queries(columns), config)))
    assert (raw.layout, raw.output, raw.boxes, raw.rows) == ("queries", "logits", "pred_boxes", 5)
    assert (raw.softmax, len(task.classes)) == (softmax, classes)
    assert picture.mean == ([0.485, 0.456, 0.406] if softmax else [0, 0, 0])


def test_a_mask_is_1_everywhere_and_no_input_any_more() -> None:
    mask = TensorFact("pixel_mask", "int64", (1, 64, 96))
    known = guess(facts((IMAGES, mask), queries(3)))
    assert found(known)[1].ones == {"pixel_mask": (1, 64, 96)}
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
    known = guess(facts((IMAGES,), queries(3), preprocessor=said))
    image = found(known)[2]
    assert (image.scale, image.mean, image.std) == (1 / 128, [0.5, 0.25, 0.125], [0.5, 1.0, 2.0])
    assert (image.letterbox.mode, image.letterbox.resampler) == ("stretch", "nearest")
    assert any("keep their aspect" in sentence for sentence in known.assumptions)


def test_a_preprocessor_that_does_nothing_leaves_the_numbers() -> None:
    image = found(guess(facts((IMAGES,), queries(3), preprocessor={"do_rescale": False, "do_normalize": False})))[2]
    assert (image.scale, image.mean, image.std) == (1.0, [0, 0, 0], [1, 1, 1])


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ((IMAGES, SIZES, TensorFact("tokens", "int64", (1, 4))), parts()),
        ((IMAGES, TensorFact("orig_target_sizes", "int64", (1, 3))), parts()),
        ((IMAGES, TensorFact("orig_target_sizes", "uint8", (1, 2))), parts()),
        ((SIZES,), parts()),
        ((IMAGES, SIZES), parts()[:2]),
        ((IMAGES, SIZES), (*parts(), TensorFact("more", "float32", (1, 5)))),
        ((IMAGES, SIZES), (*parts()[:2], TensorFact("scores", "float32", (1, 6)))),
        ((IMAGES,), queries(3, ("out0", "out1"))),
        ((IMAGES,), (queries(3)[0], TensorFact("pred_boxes", "float32", (1, 6, 4)))),
        ((IMAGES, SIZES), queries(3)),
    ],
)
def test_anything_else_stays_tensors(inputs: tuple[TensorFact, ...], outputs: tuple[TensorFact, ...]) -> None:
    assert not isinstance(guess(facts(inputs, outputs)).task, DetectTask)


def test_other_names_are_believed_where_the_user_says_detect() -> None:
    known = kinds()["detect"].guess(facts((IMAGES,), queries(3, ("out0", "out1"))), asked=True)
    assert known is not None
    assert (found(known)[1].output, found(known)[1].boxes) == ("out0", "out1")


def test_a_model_that_says_its_task_is_none_of_these() -> None:
    assert not isinstance(guess(facts((IMAGES, SIZES), parts(), metadata={"task": "pose"})).task, DetectTask)


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
    output = TensorFact("output0", "float32", (1, 30, columns))
    seen = ModelFacts("m.onnx", "pytorch", metadata, (IMAGES,), (output,), frozenset({"GridSample"}))
    task, raw, image = found(guess(seen))
    assert (raw.layout, raw.output, raw.boxes, raw.rows, raw.confidence) == (layout, "output0", "output0", 30, 0.25)
    assert raw.replaced == ("output0",)
    assert task.classes[0] == "a"
    assert (image.letterbox.mode, image.letterbox.resampler) == ("stretch", "bilinear")
