"""Recognition of DETR-like detectors by inputs and outputs: RT-DETR, D-FINE, DEIM, DETR.

Interfaces: the exporters of github.com/lyuwenyu/RT-DETR and its successors (`images`, `orig_target_sizes` ->
`labels`, `boxes`, `scores`), and of transformers (`pixel_values`, optional `pixel_mask` -> `logits`, `pred_boxes`).
"""

from __future__ import annotations

from typing import Literal, cast

import msgspec
from msgspec import Struct

from webbuild.manifest.manifest import DetectTask, ImageInput, SizeInput
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.output_names import DETECTIONS
from webbuild.preprocess.image import input_size
from webbuild.tasks.recognition.class_names import count_classes
from webbuild.tasks.recognition.coco_classes import COCO_CLASSES
from webbuild.tasks.recognition.detr_preprocess import detr_image_input
from webbuild.tasks.recognition.image_input import fixed_image_input
from webbuild.tasks.recognition.metadata import class_names, hub_class_names
from webbuild.tasks.task_match import TaskMatch

_SIZE_INPUT_ORDERS = {
    "orig_target_sizes": "width-height",
    "orig_size": "width-height",
    "orig_sizes": "width-height",
    "target_sizes": "height-width",
    "im_shape": "height-width",
}
"""Inputs for the size of the picture, and the order of width and height in the models' own code."""

_PIXEL_MASK_NAMES = ("pixel_mask",)
_LOGITS_NAMES = ("logits", "pred_logits")
_BOXES_NAMES = ("pred_boxes", "boxes")
_DETR_COCO_CLASSES = 92
"""Classes of DETR on COCO: 91 indices (80 of them used) and "no object"."""


class _Inputs(Struct, frozen=True):
    """The inputs: a picture, optionally its size, and masks that are all ones."""

    image: ImageInput
    size: SizeInput | None
    constant_masks: dict[str, tuple[int, ...]]


def infer_detr(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a DETR-like detector, None for other models.

    Output names must match, unless the task is requested: shapes are then enough.
    """
    inputs = _match_inputs(signature.inputs)
    if inputs is None or "task" in signature.metadata:
        return None if inputs is None else _match_ultralytics_rtdetr(signature, inputs)
    return _match_postprocessed(signature, inputs) or _match_logits_and_boxes(signature, inputs, requested=requested)


def _match_inputs(specs: tuple[TensorSpec, ...]) -> _Inputs | None:
    """Return the recognized inputs, None if there is an unknown one."""
    image: ImageInput | None = None
    size: SizeInput | None = None
    ones: dict[str, tuple[int, ...]] = {}
    for fact in specs:
        match fact.shape:
            case (1, 3, int(), int()) | (1, int(), int(), 3) if image is None:
                image = fixed_image_input(fact)
            case (1, 2) | (2,) if (
                size is None and fact.name in _SIZE_INPUT_ORDERS and fact.dtype in ("int64", "int32", "float32")
            ):
                size = _size_input(fact)
            case (1, int(height), int(width)) if fact.name in _PIXEL_MASK_NAMES:
                ones[fact.name] = (1, height, width)
            case _:
                return None
    return None if image is None else _Inputs(image, size, ones)


def _size_input(spec: TensorSpec) -> SizeInput:
    return SizeInput(
        name=spec.name,
        dtype=cast("Literal['int64', 'int32', 'float32']", spec.dtype),
        shape=[size for size in spec.shape if isinstance(size, int)],
        order=cast("Literal['width-height', 'height-width']", _SIZE_INPUT_ORDERS[spec.name]),
        size_of="input" if spec.name == "im_shape" else "picture",
    )


def _match_postprocessed(signature: ModelSignature, inputs: _Inputs) -> TaskMatch | None:
    """Recognize labels, boxes and scores by their shapes and types, regardless of their names."""
    outputs: dict[str, TensorSpec] = {}
    for fact in signature.outputs:
        match fact.shape, fact.dtype:
            case (1, int(), 4), "float32":
                role = "boxes"
            case (1, int()), "float32":
                role = "scores"
            case (1, int()), "int64" | "int32":
                role = "labels"
            case _:
                return None
        if role in outputs:
            return None
        outputs[role] = fact
    rows = {fact.shape[1] for fact in outputs.values()}
    if len(outputs) != 3 or len(rows) != 1 or inputs.constant_masks:
        return None
    size = inputs.size
    spec = DetrPostprocess(
        layout="parts",
        output=outputs["scores"].name,
        boxes=outputs["boxes"].name,
        labels=outputs["labels"].name,
        size=input_size(inputs.image),
        rows=cast("int", rows.pop()),
        size_input="" if size is None else size.name,
        size_order="width-height" if size is None else size.order,
    )
    assumption = (
        f"task detect: labels, boxes and scores {list(outputs['boxes'].shape)} in the format of RT-DETR's exporter"
    )
    names, named = _class_names(signature, outputs["labels"].value_count)
    return _task_match(signature, inputs, spec, names, (assumption, named, describe_size_input(size)))


def _match_logits_and_boxes(signature: ModelSignature, inputs: _Inputs, *, requested: bool) -> TaskMatch | None:
    """Recognize logits and boxes by name; if requested, by shape if there are exactly two candidates."""
    if inputs.size is not None:
        return None
    tables = [fact for fact in signature.outputs if fact.dtype == "float32" and _is_table(fact)]
    boxes = next((fact for fact in tables if fact.shape[2] == 4 and fact.name in _BOXES_NAMES), None)
    logits = next((fact for fact in tables if fact is not boxes and fact.name in _LOGITS_NAMES), None)
    if (
        requested and (boxes is None or logits is None) and len(tables) == 2
    ):  # detectors with one head per level have more
        boxes = boxes or next((fact for fact in tables if fact.shape[2] == 4 and fact is not logits), None)
        logits = logits or next((fact for fact in tables if fact is not boxes), None)
    if boxes is None or logits is None or boxes.shape != (1, logits.shape[1], 4):
        return None
    _, queries, columns = cast("tuple[int, int, int]", logits.shape)
    configured = hub_class_names(signature)
    softmax = len(configured) == columns - 1 if configured else columns == _DETR_COCO_CLASSES
    spec = DetrPostprocess(
        layout="queries",
        output=logits.name,
        boxes=boxes.name,
        size=input_size(inputs.image),
        rows=queries,
        softmax=softmax,
        constant_masks=inputs.constant_masks,
    )
    ending = "a softmax whose last class is 'no object'" if softmax else "a sigmoid for each class"
    form = "boxes in the format of transformers' detectors"
    assumption = f"task detect: logits {list(logits.shape)} and {form}, scores through {ending}"
    names, named = _class_names(signature, columns - softmax)
    masks = tuple(
        f"input '{name}' is filled with 1: the picture fills the whole input" for name in inputs.constant_masks
    )
    return _task_match(signature, inputs, spec, names, (assumption, named, *masks))


def _match_ultralytics_rtdetr(signature: ModelSignature, inputs: _Inputs) -> TaskMatch | None:
    """Recognize Ultralytics' exports of RT-DETR; deformable attention (GridSample) distinguishes them from a YOLO."""
    names, head = class_names(signature), signature.metadata.get("head", "")
    if signature.metadata["task"] != "detect" or not (head == "RTDETRDecoder" or "GridSample" in signature.operators):
        return None
    match [fact.shape for fact in signature.outputs]:
        case [(1, int(rows), 6)] if head or len(names) != 2:
            layout: Literal["centred", "table"] = "centred"
        case [(1, int(rows), int(columns))] if names and columns == 4 + len(names):
            layout = "table"
        case _:
            return None
    name = signature.outputs[0].name
    size = input_size(inputs.image)
    spec = DetrPostprocess(layout=layout, output=name, boxes=name, size=size, rows=rows, confidence=0.25)
    assumption = f"task detect with {count_classes(len(names))}, an RT-DETR, from the exporter's metadata"
    return _task_match(signature, inputs, spec, names, (assumption,))


def _is_table(spec: TensorSpec) -> bool:
    return len(spec.shape) == 3 and spec.shape[0] == 1 and all(isinstance(size, int) for size in spec.shape)


def _task_match(
    signature: ModelSignature, inputs: _Inputs, spec: DetrPostprocess, names: list[str], sentences: tuple[str, ...]
) -> TaskMatch | None:
    image, recipe = detr_image_input(inputs.image, signature.hub_files.preprocessor, normalized=spec.softmax)
    if spec.layout in ("table", "centred"):  # Ultralytics resizes with OpenCV
        plain = msgspec.structs.replace(image.letterbox, interpolation="bilinear")
        image = msgspec.structs.replace(image, letterbox=plain)
    task = DetectTask(output=DETECTIONS, rows=spec.rows, classes=names)
    threshold = f"rows are joined and those at or below confidence {spec.confidence:g} are dropped; no NMS"
    specs = (image,) if inputs.size is None else (image, inputs.size)
    return TaskMatch(task, specs, (*sentences, *recipe, threshold), spec)


def describe_size_input(size: SizeInput | None) -> str:
    """Return an assumption about the size input, which the runtime fills in."""
    if size is None:
        return "boxes are in pixels of the input"
    order = size.order.replace("-", ", then ")
    return f"input '{size.name}' takes the {order} of the {size.size_of}; the runtime fills it in"


def _class_names(signature: ModelSignature, classes: int) -> tuple[list[str], str]:
    """Return a name for each class, and their source as text; `classes` is 0 if their number is unknown."""
    for names, source in ((hub_class_names(signature), "config.json"), (class_names(signature), "the metadata")):
        if names and classes in (0, len(names)):
            return names, f"the names of the {count_classes(len(names))} are those in {source}"
    if classes in (0, len(COCO_CLASSES)):
        return COCO_CLASSES, "80 classes without names are assumed to be COCO's"
    names = [f"class {index}" for index in range(classes)]
    return names, f"the {count_classes(classes)} have no names in config.json or the metadata"
