"""Detectors that do not say what they are, known by their shapes: an output for each cell of three grids."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import DetectTask, ImageInput, Letterbox
from webbuild.raw_head import DETECTIONS, RawHead
from webbuild.tasks._base import Guess
from webbuild.tasks.coco_classes import CLASSES
from webbuild.tasks.export_form import image_input, miscounted
from webbuild.tasks.metadata import class_names

_STRIDES = (8, 16, 32)
_DECODED = "boxes are decoded to pixels of the input"
_PLAIN = "pictures are letterboxed with grey 114, RGB, scaled to 0..1"


class Family(Struct, frozen=True):
    """Detectors of one layout: what they are called, and how their output and their pictures are."""

    raw: RawHead
    image: ImageInput
    sentences: tuple[str, ...]


def guess_grid(facts: ModelFacts, *, asked: bool) -> Guess | None:
    """Return the spec of a YOLOv5, YOLOv7 or YOLOX, or of a newer YOLO without metadata; None for anything else.

    Unless the user asked, the class names have to be there, and as many as the scores.

    Raises:
        WebbuildError: `class-names` where they are there and of another number, and the user asked.
    """
    image = image_input(facts.inputs[0]) if len(facts.inputs) == 1 else None
    if image is None or "task" in facts.metadata:
        return None
    found = ((output, _family(output, image, facts.operators)) for output in facts.outputs)
    output, family = next(((each, known) for each, known in found if known is not None), (None, None))
    names = class_names(facts)
    if output is None or family is None or (not asked and len(names) != family.raw.classes):
        return None
    if names and len(names) != family.raw.classes:
        raise miscounted(facts.file, output, family.raw.classes, len(names))
    classes, named = _names(names, family.raw.classes)
    raw = family.raw
    thresholds = f"suppression is appended: confidence {raw.confidence:g}, overlap {raw.iou:g} within each class"
    task = DetectTask(output=DETECTIONS, rows=min(_anchors(output, raw), raw.max_detections), classes=classes)
    return Guess(task, (family.image,), (*family.sentences, named, thresholds), raw)


def _family(output: TensorFact, image: ImageInput, operators: frozenset[str]) -> Family | None:
    """Return what an output is by its shape: as many anchors as the grids have cells, or three times as many."""
    height, width = image.shape[2:]
    cells = sum((height // stride) * (width // stride) for stride in _STRIDES)
    like = f"output '{output.name}' {list(output.shape)} is taken for that of"
    match output.shape:
        case (1, int(anchors), int(numbers)) if anchors == 3 * cells and numbers > 5:
            raw = _raw(output, image, "rows", numbers - 5)
            said = f"{like} YOLOv5 or YOLOv7: three anchors a cell, an objectness before the class scores; {_DECODED}"
            return Family(raw, image, (said, _PLAIN))
        case (1, int(anchors), int(numbers)) if anchors == cells and numbers > 5:
            decoded = "Exp" in operators
            raw = _raw(output, image, "rows", numbers - 5, () if decoded else _STRIDES)
            boxes = _DECODED if decoded else "boxes are offsets in cells of strides 8, 16 and 32, sizes logarithms"
            said = f"{like} YOLOX: one anchor a cell, an objectness before the class scores; {boxes}"
            place = Letterbox(anchor="top-left")
            bgr = msgspec.structs.replace(image, color="bgr", scale=1.0, letterbox=place)
            return Family(raw, bgr, (said, "pictures are put at the top left of grey 114, BGR, from 0 to 255"))
        case (1, int(numbers), int(anchors)) if anchors == cells and numbers > 4:
            raw = _raw(output, image, "columns", numbers - 4)
            return Family(raw, image, (f"{like} a YOLO since v8: boxes, then class scores; {_DECODED}", _PLAIN))
    return None


def _raw(output: TensorFact, image: ImageInput, layout: str, classes: int, strides: tuple[int, ...] = ()) -> RawHead:
    size = (image.shape[2], image.shape[3])
    if layout == "columns":
        return RawHead(output=output.name, layout="columns", size=size, classes=classes)
    return RawHead(output=output.name, layout="rows", size=size, classes=classes, strides=strides, iou=0.45)


def _anchors(output: TensorFact, raw: RawHead) -> int:
    anchors = output.shape[2] if raw.layout == "columns" else output.shape[1]
    assert isinstance(anchors, int)
    return anchors


def _names(names: list[str], classes: int) -> tuple[list[str], str]:
    """Return a name for each class, and where they come from."""
    if names:
        return names, f"the names of the {classes} class(es) are those in the metadata"
    if classes == len(CLASSES):
        return CLASSES, "80 classes without names are taken for COCO's"
    return [f"class {index}" for index in range(classes)], f"the {classes} class(es) have no names in the metadata"
