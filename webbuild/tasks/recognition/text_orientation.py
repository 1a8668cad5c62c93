"""Text orientation classifiers, which detect lines of text that are upside down, as in PaddleOCR and RapidOCR."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from webbuild.manifest.inputs.crop import HalfTurn
from webbuild.manifest.manifest import ClassifyTask, CropClassesTask, CropInput, ImageInput, Letterbox
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.tasks.task_match import TaskMatch

_ORIENTATIONS = ["0", "180"]
"""PaddleOCR's names of the classes, in degrees."""
_TURNED_FROM = 0.9
"""PaddleOCR's `cls_thresh`: a line is rotated if the probability of 180 degrees is higher."""

_SIZES = ((48, 192), (80, 160))
"""Height and width of lines: in PP-OCRv2 and later, and in PP-OCRv5's PP-LCNet."""
_FILE = re.compile(r"(?<![a-z])cls(?![a-z])|(text)?line[-_]?ori", re.IGNORECASE)


def orientation_for_crops(signature: ModelSignature) -> TaskMatch | None:
    """Return the match of an orientation classifier by its size, two classes and file name; None for other models."""
    if not _FILE.search(signature.file):
        return None
    match signature.inputs, signature.outputs:
        case (
            (TensorSpec(shape=(1, 3, int(height), int(width)), dtype="float32") as picture,),
            (TensorSpec(shape=(1, 2), dtype="float32") as output,),
        ) if (height, width) in _SIZES:
            pass
        case _:
            return None
    half = [0.5] * 3
    crop = CropInput(
        name=picture.name, shape=[1, 3, height, width], color="bgr", scale=1 / 255, mean=half, std=half,
        padding=1.0, aspect="line", pad=127.5,
    )  # fmt: skip
    task = CropClassesTask(
        output=output.name, classes=_ORIENTATIONS, logits="Softmax" not in (output.activation, output.operator)
    )
    assumption = (
        "task crop-classes: finds lines of text that are upside down, by the file's name; preprocessed as in RapidOCR"
    )
    return TaskMatch(task, (crop,), (assumption,))


def orientation_alone(signature: ModelSignature) -> TaskMatch | None:
    """Return the match of an orientation classifier that takes a picture of one line; None for other models."""
    crops = orientation_for_crops(signature)
    if crops is None:
        return None
    task, (crop,) = crops.task, crops.inputs
    assert isinstance(task, CropClassesTask)
    assert isinstance(crop, CropInput)
    image = ImageInput(
        name=crop.name, shape=crop.shape, color=crop.color, scale=crop.scale, mean=crop.mean, std=crop.std,
        letterbox=Letterbox(mode="line", anchor="top-left", pad="mean"),
    )  # fmt: skip
    (assumption,) = crops.assumptions
    return TaskMatch(
        ClassifyTask(output=task.output, classes=task.classes, logits=task.logits),
        (image,),
        (assumption.replace("task crop-classes", "task classify"),),
    )


def orientation_size(signature: ModelSignature) -> tuple[int, int] | None:
    """Return the line height and width for an orientation classifier with free sizes, None for other models."""
    match signature.inputs, signature.outputs:
        case (TensorSpec(shape=(_, 3, height, width)),), (TensorSpec(shape=(_, 2)),):
            free = not isinstance(height, int) and not isinstance(width, int)
            return _SIZES[0] if free and _FILE.search(signature.file) else None
    return None


def half_turn(crop: CropInput, before: Sequence[TaskMatch]) -> HalfTurn | UnsetType:
    """Return the rule for rotating lines by 180 degrees, if an earlier stage classifies their orientation."""
    classes = [each.task.classes for each in before if isinstance(each.task, CropClassesTask)]
    turns = crop.aspect == "line" and _ORIENTATIONS in classes
    return HalfTurn(label=_ORIENTATIONS[1], score=_TURNED_FROM) if turns else UNSET
