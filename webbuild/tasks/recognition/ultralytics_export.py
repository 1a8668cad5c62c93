"""The three forms of detections in Ultralytics' exports: with NMS, raw, or end-to-end."""

from __future__ import annotations

from msgspec import Struct

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import ImageInput
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.postprocess.output_names import DETECTIONS
from webbuild.postprocess.yolo import YoloPostprocess
from webbuild.preprocess.image import input_size
from webbuild.preprocess.recipe_text import describe_color
from webbuild.tasks.recognition.image_input import fixed_image_input
from webbuild.tasks.recognition.metadata import class_names, export_argument

_RAW_NOTE = (
    "exported without NMS, which is appended with Ultralytics' defaults: confidence {:g}, IoU {:g} within "
    "each class, at most {} rows"
)
_END_TO_END_NOTE = "an end-to-end head without NMS: confidence {:g} is Ultralytics' default"


class UltralyticsExport(Struct, frozen=True):
    """An export's classes, picture input and output of rows after `postprocess` is appended."""

    class_names: list[str]
    image: ImageInput
    output: str
    rows: int
    postprocess: YoloPostprocess | None = None

    @property
    def preprocessing(self) -> str:
        """Ultralytics' own preprocessing."""
        return ultralytics_preprocessing(self.image)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions about what the metadata lacks."""
        if self.postprocess is None:
            return ()
        if self.postprocess.layout == "final":
            return (_END_TO_END_NOTE.format(self.postprocess.confidence),)
        return (_RAW_NOTE.format(self.postprocess.confidence, self.postprocess.iou, self.rows),)


def ultralytics_preprocessing(image: ImageInput) -> str:
    """Return Ultralytics' own preprocessing in words."""
    fitted = "letterboxed with grey 114" if image.letterbox.mode == "letterbox" else "stretched"
    return f"pictures are {fitted}, {describe_color(image)}, scaled to 0..1: Ultralytics' own preprocessing"


def read_export(
    signature: ModelSignature, task: str, *, extra: int, outputs: int = 1, rotated: bool = False
) -> UltralyticsExport | None:
    """Return the form of an export of `task`, None for other models.

    Args:
        signature: the model's signature.
        task: the exporter's name of the task.
        extra: number of columns after box, score and class.
        outputs: number of outputs of the export; the first one has the detections.
        rotated: whether the boxes are rotated.

    Raises:
        WebbuildError: `class-count-mismatch` if the raw output has more or fewer scores than there are names.
    """
    names = class_names(signature)
    if (
        signature.metadata.get("task") != task
        or not names
        or len(signature.inputs) != 1
        or len(signature.outputs) != outputs
    ):
        return None
    image, output = fixed_image_input(signature.inputs[0], gray=True), signature.outputs[0]
    match output.shape:
        case (1, int(first), int(second)) if image is not None:
            size = input_size(image)
        case _:
            return None
    if _has_nms(signature):
        return UltralyticsExport(names, image, output.name, first) if second == 6 + extra else None
    if _is_end_to_end(signature, 6 + extra):
        spec = YoloPostprocess(
            output=output.name, layout="final", size=size, classes=0, extra_columns=extra, rotated=rotated
        )
        return UltralyticsExport(names, image, DETECTIONS, first, spec)
    if first <= 4 + extra or second <= first:
        return None
    if first != 4 + len(names) + extra:
        raise class_count_mismatch(signature.file, output, first - 4 - extra, len(names))
    spec = YoloPostprocess(
        output=output.name, layout="columns", size=size, classes=len(names), extra_columns=extra, rotated=rotated
    )
    return UltralyticsExport(names, image, DETECTIONS, min(second, spec.max_detections), spec)


def _has_nms(signature: ModelSignature) -> bool:
    """Whether the export was made with `nms=True`; if the metadata lacks it, whether the graph has the operator."""
    if signature.metadata.get("end2end") == "True":
        return False
    nms_argument = export_argument(signature, "nms")
    return nms_argument is True or (nms_argument is None and "NonMaxSuppression" in signature.operators)


def _is_end_to_end(signature: ModelSignature, columns: int) -> bool:
    """Whether the rows [1, rows, columns] need no NMS.

    Releases before 8.4 do not state it in the metadata, so the shape decides. RT-DETR, recognized by deformable
    attention (GridSample), has another row layout: see `webbuild/tasks/recognition/detr.py`.
    """
    width = signature.outputs[0].shape[-1]
    if width != columns or signature.metadata.get("head") == "RTDETRDecoder" or "GridSample" in signature.operators:
        return False
    return signature.metadata.get("end2end", "True") == "True"


def class_count_mismatch(file: str, output: TensorSpec, scores: int, names: int) -> WebbuildError:
    """Return the error for an output with another number of class scores than there are names."""
    return WebbuildError(
        "class-count-mismatch",
        f"{file}: output '{output.name}' {list(output.shape)} has {scores} class scores, the metadata {names} name(s)",
        "correct `names` in the model's metadata, or give --task tensor",
    )
