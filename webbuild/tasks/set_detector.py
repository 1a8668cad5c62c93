"""Detectors that predict a set of boxes, known by their inputs and outputs: RT-DETR, D-FINE, DEIM, DETR.

Interfaces: the exporters of github.com/lyuwenyu/RT-DETR and of what came of it (`images`, `orig_target_sizes` to
`labels`, `boxes`, `scores`), and that of transformers (`pixel_values`, perhaps `pixel_mask`, to `logits`,
`pred_boxes`).
"""

from __future__ import annotations

from typing import Literal, cast

import msgspec
from msgspec import Struct

from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import DetectTask, ImageInput, SizeInput
from webbuild.raw_head import DETECTIONS
from webbuild.set_head import SetHead
from webbuild.tasks._base import Guess
from webbuild.tasks.coco_classes import CLASSES
from webbuild.tasks.export_form import image_input
from webbuild.tasks.metadata import class_names, configured_names
from webbuild.tasks.set_picture import set_picture

_SIZES = {
    "orig_target_sizes": "width-height",
    "orig_size": "width-height",
    "orig_sizes": "width-height",
    "target_sizes": "height-width",
    "im_shape": "height-width",
}
"""Inputs that want the size of the picture, and the order in which their models' own code gives it."""

_MASKS = ("pixel_mask",)
_LOGITS = ("logits", "pred_logits")
_BOXES = ("pred_boxes", "boxes")
_COCO_OF_DETR = 92
"""Classes of DETR on COCO: 91 numbers, of which 80 are used, and "nothing"."""


class _Inputs(Struct, frozen=True):
    """What goes in: a picture, perhaps its size, and masks that are 1 everywhere."""

    image: ImageInput
    size: SizeInput | None
    ones: dict[str, tuple[int, ...]]


def guess_set(facts: ModelFacts, *, asked: bool) -> Guess | None:
    """Return the spec of a detector that predicts a set of boxes, None for anything else.

    Names of outputs are believed; where the user asked, shapes are enough.
    """
    inputs = _inputs(facts.inputs)
    if inputs is None or "task" in facts.metadata:
        return None if inputs is None else _joined(facts, inputs)
    return _parts(facts, inputs) or _queries(facts, inputs, asked=asked)


def _inputs(given: tuple[TensorFact, ...]) -> _Inputs | None:
    """Return what the inputs are, None where there is one that is none of these."""
    image: ImageInput | None = None
    size: SizeInput | None = None
    ones: dict[str, tuple[int, ...]] = {}
    for fact in given:
        match fact.shape:
            case (1, 3, int(), int()) if image is None:
                image = image_input(fact)
            case (1, 2) | (2,) if size is None and fact.name in _SIZES and fact.dtype in ("int64", "int32", "float32"):
                size = _size(fact)
            case (1, int(height), int(width)) if fact.name in _MASKS:
                ones[fact.name] = (1, height, width)
            case _:
                return None
    return None if image is None else _Inputs(image, size, ones)


def _size(fact: TensorFact) -> SizeInput:
    return SizeInput(
        name=fact.name,
        dtype=cast("Literal['int64', 'int32', 'float32']", fact.dtype),
        shape=[size for size in fact.shape if isinstance(size, int)],
        order=cast("Literal['width-height', 'height-width']", _SIZES[fact.name]),
        of="input" if fact.name == "im_shape" else "picture",
    )


def _parts(facts: ModelFacts, inputs: _Inputs) -> Guess | None:
    """Recognise labels, boxes and scores by their shapes and types, whatever they are called."""
    found: dict[str, TensorFact] = {}
    for fact in facts.outputs:
        match fact.shape, fact.dtype:
            case (1, int(), 4), "float32":
                role = "boxes"
            case (1, int()), "float32":
                role = "scores"
            case (1, int()), "int64" | "int32":
                role = "labels"
            case _:
                return None
        if role in found:
            return None
        found[role] = fact
    rows = {fact.shape[1] for fact in found.values()}
    if len(found) != 3 or len(rows) != 1 or inputs.ones:
        return None
    size = inputs.size
    raw = SetHead(
        layout="parts",
        output=found["scores"].name,
        boxes=found["boxes"].name,
        labels=found["labels"].name,
        size=(inputs.image.shape[2], inputs.image.shape[3]),
        rows=cast("int", rows.pop()),
        sized="" if size is None else size.name,
        order="width-height" if size is None else size.order,
    )
    said = f"task detect: labels, boxes and scores {list(found['boxes'].shape)} as RT-DETR's exporter gives them"
    names, named = _names(facts, found["labels"].values)
    return _guess(facts, inputs, raw, names, (said, named, sized(size)))


def _queries(facts: ModelFacts, inputs: _Inputs, *, asked: bool) -> Guess | None:
    """Recognise logits and boxes, by name or, where the user asked, by shape."""
    if inputs.size is not None:
        return None
    tables = [fact for fact in facts.outputs if fact.dtype == "float32" and _is_table(fact)]
    boxes = next((f for f in tables if f.shape[2] == 4 and (f.name in _BOXES or asked)), None)
    logits = next((f for f in tables if f is not boxes and (f.name in _LOGITS or asked)), None)
    if boxes is None or logits is None or boxes.shape != (1, logits.shape[1], 4):
        return None
    _, queries, columns = cast("tuple[int, int, int]", logits.shape)
    configured = configured_names(facts)
    softmax = len(configured) == columns - 1 or (not configured and columns == _COCO_OF_DETR)
    raw = SetHead(
        layout="queries",
        output=logits.name,
        boxes=boxes.name,
        size=(inputs.image.shape[2], inputs.image.shape[3]),
        rows=queries,
        softmax=softmax,
        ones=inputs.ones,
    )
    ending = "a softmax whose last class is nothing" if softmax else "a sigmoid for each class"
    said = f"task detect: logits {list(logits.shape)} and boxes as transformers' detectors give them, through {ending}"
    names, named = _names(facts, columns - softmax)
    masks = tuple(f"input '{name}' is 1 everywhere: the whole input is picture" for name in inputs.ones)
    return _guess(facts, inputs, raw, names, (said, named, *masks))


def _joined(facts: ModelFacts, inputs: _Inputs) -> Guess | None:
    """Recognise Ultralytics' exports of RT-DETR, which deformable attention tells from a YOLO."""
    names, head = class_names(facts), facts.metadata.get("head", "")
    if facts.metadata["task"] != "detect" or not (head == "RTDETRDecoder" or "GridSample" in facts.operators):
        return None
    match [fact.shape for fact in facts.outputs]:
        case [(1, int(rows), 6)] if head or len(names) != 2:
            layout: Literal["centred", "table"] = "centred"
        case [(1, int(rows), int(columns))] if names and columns == 4 + len(names):
            layout = "table"
        case _:
            return None
    name = facts.outputs[0].name
    size = (inputs.image.shape[2], inputs.image.shape[3])
    raw = SetHead(layout=layout, output=name, boxes=name, size=size, rows=rows, confidence=0.25)
    said = f"task detect with {len(names)} class(es), an RT-DETR, from the exporter's metadata"
    return _guess(facts, inputs, raw, names, (said,))


def _is_table(fact: TensorFact) -> bool:
    return len(fact.shape) == 3 and fact.shape[0] == 1 and all(isinstance(size, int) for size in fact.shape)


def _guess(
    facts: ModelFacts, inputs: _Inputs, raw: SetHead, names: list[str], sentences: tuple[str, ...]
) -> Guess | None:
    image, seen = set_picture(inputs.image, facts.companions.preprocessor, normalised=raw.softmax)
    if raw.layout in ("table", "centred"):  # Ultralytics resizes with OpenCV
        plain = msgspec.structs.replace(image.letterbox, resampler="bilinear")
        image = msgspec.structs.replace(image, letterbox=plain)
    task = DetectTask(output=DETECTIONS, rows=raw.rows, classes=names)
    threshold = f"rows are joined and those at or below confidence {raw.confidence:g} left out; nothing is suppressed"
    specs = (image,) if inputs.size is None else (image, inputs.size)
    return Guess(task, specs, (*sentences, *seen, threshold), raw)


def sized(size: SizeInput | None) -> str:
    """Say what the input with the size wants, and that nobody else has to care."""
    if size is None:
        return "boxes are in pixels of the input"
    order = size.order.replace("-", ", then ")
    return f"input '{size.name}' wants the {order} of the {size.of} as {size.dtype}; the runtime fills it in"


def _names(facts: ModelFacts, classes: int) -> tuple[list[str], str]:
    """Return a name for each class, and where they come from; `classes` is 0 where their number is not known."""
    for names, source in ((configured_names(facts), "config.json"), (class_names(facts), "the metadata")):
        if names and classes in (0, len(names)):
            return names, f"the names of the {len(names)} class(es) are those in {source}"
    if classes in (0, len(CLASSES)):
        return CLASSES, "80 classes without names are taken for COCO's"
    return [f"class {index}" for index in range(classes)], f"the {classes} class(es) have no names in what was given"
