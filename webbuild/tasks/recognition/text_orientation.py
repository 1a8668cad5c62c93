"""Classifiers that say whether a line of text stands on its head, as PaddleOCR and RapidOCR have them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from webbuild.manifest.inputs.crop import HalfTurn
from webbuild.manifest.manifest import CropClassesTask, CropInput
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.tasks.task_match import TaskMatch

ORIENTATIONS = ["0", "180"]
"""Degrees, as PaddleOCR calls the classes."""
TURNED_FROM = 0.9
"""PaddleOCR's `cls_thresh`: a line is turned where 180 degrees are more probable than that."""

_SIZES = ((48, 192), (80, 160))
"""Height and width of the lines: PP-OCR's since its second version, and PP-LCNet's of its fifth."""
_FILE = re.compile(r"(?<![a-z])cls(?![a-z])|(text)?line[-_]?ori", re.IGNORECASE)


def orientation_for_crops(signature: ModelSignature) -> TaskMatch | None:
    """Return a classifier of lines by its size, its two classes and its file's name; None for any other model."""
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
        output=output.name, classes=ORIENTATIONS, logits="Softmax" not in (output.activation, output.operator)
    )
    assumption = (
        "task crop-classes: which lines of text stand on their head, by the file's name; prepared as RapidOCR does"
    )
    return TaskMatch(task, (crop,), (assumption,))


def orientation_size(signature: ModelSignature) -> tuple[int, int] | None:
    """Return height and width of the lines of a classifier that leaves them free, None for any other model."""
    match signature.inputs, signature.outputs:
        case (TensorSpec(shape=(_, 3, height, width)),), (TensorSpec(shape=(_, 2)),):
            free = not isinstance(height, int) and not isinstance(width, int)
            return _SIZES[0] if free and _FILE.search(signature.file) else None
    return None


def half_turn(crop: CropInput, before: Sequence[TaskMatch]) -> HalfTurn | UnsetType:
    """Return which lines a stage turns, where one of those before it says how lines stand."""
    classes = [each.task.classes for each in before if isinstance(each.task, CropClassesTask)]
    turns = crop.aspect == "line" and ORIENTATIONS in classes
    return HalfTurn(label=ORIENTATIONS[1], score=TURNED_FROM) if turns else UNSET
