"""The three forms in which Ultralytics' exporter leaves detections: suppressed, raw, or end-to-end."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.errors import WebbuildError
from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import ImageInput, Letterbox
from webbuild.raw_head import DETECTIONS, RawHead
from webbuild.tasks.metadata import class_names, exported_with

_RAW = (
    "exported without suppression, which is appended with Ultralytics' defaults: confidence {:g}, overlap {:g} within "
    "each class, at most {} rows"
)
_FINAL = "an end-to-end head, which suppresses nothing: confidence {:g} is Ultralytics' default"


class Form(Struct, frozen=True):
    """An export's classes, its picture, and where its rows are found once `raw` was appended."""

    names: list[str]
    image: ImageInput
    output: str
    rows: int
    raw: RawHead | None = None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the exporter did not say."""
        if self.raw is None:
            return ()
        if self.raw.layout == "final":
            return (_FINAL.format(self.raw.confidence),)
        return (_RAW.format(self.raw.confidence, self.raw.iou, self.rows),)


def read_form(facts: ModelFacts, task: str, *, extra: int, outputs: int = 1, rotated: bool = False) -> Form | None:
    """Return the form of an export of `task`, None for every other model.

    Args:
        facts: the model's.
        task: as the exporter calls it.
        extra: numbers that a row has behind box, score and class.
        outputs: how many the export has; the first one holds the detections.
        rotated: whether the boxes are.

    Raises:
        WebbuildError: `class-names` where the raw output has more or fewer scores than there are names.
    """
    names = class_names(facts)
    if facts.metadata.get("task") != task or not names or len(facts.inputs) != 1 or len(facts.outputs) != outputs:
        return None
    image, output = image_input(facts.inputs[0]), facts.outputs[0]
    match output.shape:
        case (1, int(first), int(second)) if image is not None:
            size = (image.shape[2], image.shape[3])
        case _:
            return None
    if is_suppressed(facts):
        return Form(names, image, output.name, first) if second == 6 + extra else None
    if is_end_to_end(facts, 6 + extra):
        raw = RawHead(output=output.name, layout="final", size=size, classes=0, extra=extra, rotated=rotated)
        return Form(names, image, DETECTIONS, first, raw)
    if first <= 4 + extra or second <= first:
        return None
    if first != 4 + len(names) + extra:
        raise miscounted(facts.file, output, first - 4 - extra, len(names))
    raw = RawHead(output=output.name, layout="columns", size=size, classes=len(names), extra=extra, rotated=rotated)
    return Form(names, image, DETECTIONS, min(second, raw.max_detections), raw)


def is_suppressed(facts: ModelFacts) -> bool:
    """Whether the export was made with `nms=True`; where it does not say, whether it has the operator."""
    if facts.metadata.get("end2end") == "True":
        return False
    said = exported_with(facts, "nms")
    return said is True or (said is None and "NonMaxSuppression" in facts.operators)


def is_end_to_end(facts: ModelFacts, columns: int) -> bool:
    """Whether the rows [1, rows, columns] need no suppression.

    Releases before 8.4 do not say so: there the shape tells it. RT-DETR's rows, which deformable attention gives
    away, are of another layout: see `set_detector`.
    """
    width = facts.outputs[0].shape[-1]
    if width != columns or facts.metadata.get("head") == "RTDETRDecoder" or "GridSample" in facts.operators:
        return False
    return facts.metadata.get("end2end", "True") == "True"


def image_input(fact: TensorFact, layout: Literal["nchw", "nhwc"] = "nchw") -> ImageInput | None:
    """Return the spec of the one picture that a fixed-shape float input of this layout wants, or None."""
    shape = [size for size in fact.shape if isinstance(size, int)]
    channels = 1 if layout == "nchw" else 3
    if fact.dtype != "float32" or len(fact.shape) != 4 or len(shape) != 4 or (shape[0], shape[channels]) != (1, 3):
        return None
    return ImageInput(
        name=fact.name,
        shape=shape,
        layout=layout,
        scale=1 / 255,
        mean=[0.0, 0.0, 0.0],
        std=[1.0, 1.0, 1.0],
        letterbox=Letterbox(),
    )


def miscounted(file: str, output: TensorFact, scores: int, names: int) -> WebbuildError:
    """Return the error of an output that has another number of class scores than there are names."""
    return WebbuildError(
        "class-names",
        f"{file}: output '{output.name}' {list(output.shape)} has {scores} class scores, the metadata {names} name(s)",
        "correct `names` in the model's metadata, or give --task tensor",
    )
