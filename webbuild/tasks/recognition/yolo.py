"""Recognize YOLO detectors without metadata by output shapes: one row for each cell of three grids."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from webbuild.manifest.manifest import DetectTask, ImageInput, Letterbox
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.postprocess.output_names import DETECTIONS
from webbuild.postprocess.yolo import YoloPostprocess
from webbuild.preprocess.image import input_size
from webbuild.tasks.recognition.class_names import count_classes
from webbuild.tasks.recognition.coco_classes import COCO_CLASSES
from webbuild.tasks.recognition.image_input import only_image_input
from webbuild.tasks.recognition.metadata import class_names
from webbuild.tasks.recognition.ultralytics_export import class_count_mismatch
from webbuild.tasks.task_match import TaskMatch

_YOLO_STRIDES = (8, 16, 32)
DECODED_NOTE = "boxes are already in pixels of the input"
OFFSETS_NOTE = "boxes are offsets in cells, judged by their values, of the anchors published for YOLOv5"
_DEFAULT_PREPROCESSING = "pictures are letterboxed with grey 114, RGB, scaled to 0..1"


class YoloVariant(Struct, frozen=True):
    """A recognized YOLO layout: its postprocessing, picture input and assumptions."""

    postprocess: YoloPostprocess
    image: ImageInput
    assumptions: tuple[str, ...]


def infer_yolo(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a YOLOv5, YOLOv7, YOLOX or newer YOLO without metadata; None for other models.

    Unless requested, there must be as many class names as scores, or no other outputs than the grids that the rows were
    decoded from.

    Raises:
        WebbuildError: `class-count-mismatch` if the task is requested and the number of class names differs.
    """
    image = only_image_input(signature)
    if image is None or "task" in signature.metadata:
        return None
    variants = ((output, _match_variant(output, image, signature.operators)) for output in signature.outputs)
    output, family = next(((each, known) for each, known in variants if known is not None), (None, None))
    names = class_names(signature)
    if output is None or family is None:
        return None
    are_names_known = requested or len(names) == family.postprocess.classes
    whole = all(side % _YOLO_STRIDES[-1] == 0 for side in input_size(image))
    others = [each for each in signature.outputs if each is not output]
    if not are_names_known and (names or not whole or not all(_is_undecoded_grid(each, output) for each in others)):
        return None
    if names and len(names) != family.postprocess.classes:
        raise class_count_mismatch(signature.file, output, family.postprocess.classes, len(names))
    classes, named = named_classes(names, family.postprocess.classes)
    spec = family.postprocess
    thresholds = f"NMS is appended: confidence {spec.confidence:g}, IoU {spec.iou:g} within each class"
    task = DetectTask(output=DETECTIONS, rows=min(_anchor_count(output, spec), spec.max_detections), classes=classes)
    assumptions = (*family.assumptions, named, thresholds)
    return TaskMatch(task, (family.image,), assumptions, spec, guessed=not are_names_known)


def _is_undecoded_grid(other: TensorSpec, output: TensorSpec) -> bool:
    """Whether an output [1, 3, h, w, numbers] may be a grid that the rows [1, anchors, numbers] were decoded from."""
    return len(other.shape) == 5 and (*other.shape[:2], other.shape[4]) == (1, 3, output.shape[-1])


def _match_variant(output: TensorSpec, image: ImageInput, operators: frozenset[str]) -> YoloVariant | None:
    """Return the YOLO layout of an output by its shape: one or three anchors per cell of the grids."""
    height, width = input_size(image)
    cells = sum((height // stride) * (width // stride) for stride in _YOLO_STRIDES)
    like = f"output '{output.name}' {list(output.shape)} is read as"
    match output.shape:
        case (1, int(anchors), int(numbers)) if anchors == 3 * cells and numbers > 5:
            spec = _yolo_postprocess(output, image, "rows", numbers - 5)
            assumptions = (
                f"{like} YOLOv5 or YOLOv7: three anchors per cell, objectness before the class scores; {DECODED_NOTE}"
            )
            return YoloVariant(spec, image, (assumptions, _DEFAULT_PREPROCESSING))
        case (1, int(anchors), int(numbers)) if anchors == cells and numbers > 5:
            decoded = "Exp" in operators
            spec = _yolo_postprocess(output, image, "rows", numbers - 5, () if decoded else _YOLO_STRIDES)
            boxes = DECODED_NOTE if decoded else "boxes are offsets in cells of strides 8, 16 and 32, sizes logarithms"
            assumptions = f"{like} YOLOX: one anchor per cell, objectness before the class scores; {boxes}"
            letterbox = Letterbox(anchor="top-left")
            bgr = msgspec.structs.replace(image, color="bgr", scale=1.0, letterbox=letterbox)
            return YoloVariant(spec, bgr, (assumptions, "pictures are placed top left on grey 114, BGR, 0..255"))
        case (1, int(numbers), int(anchors)) if anchors == cells and numbers > 4:
            spec = _yolo_postprocess(output, image, "columns", numbers - 4)
            return YoloVariant(
                spec,
                image,
                (f"{like} YOLOv8 or later: boxes, then class scores; {DECODED_NOTE}", _DEFAULT_PREPROCESSING),
            )
    return None


def _yolo_postprocess(
    output: TensorSpec, image: ImageInput, layout: str, classes: int, strides: tuple[int, ...] = ()
) -> YoloPostprocess:
    size = input_size(image)
    if layout == "columns":
        return YoloPostprocess(output=output.name, layout="columns", size=size, classes=classes)
    return YoloPostprocess(output=output.name, layout="rows", size=size, classes=classes, strides=strides, iou=0.45)


def _anchor_count(output: TensorSpec, spec: YoloPostprocess) -> int:
    anchors = output.shape[2] if spec.layout == "columns" else output.shape[1]
    assert isinstance(anchors, int)
    return anchors


def named_classes(names: list[str], classes: int) -> tuple[list[str], str]:
    """Return a name for each class, and their source as text."""
    if names:
        return names, f"the names of the {count_classes(classes)} are those in the metadata"
    if classes == len(COCO_CLASSES):
        return COCO_CLASSES, "80 classes without names are assumed to be COCO's"
    if classes == 1:
        return ["object"], "the one class has no name in the metadata"
    return [f"class {index}" for index in range(classes)], f"the {count_classes(classes)} have no names in the metadata"
