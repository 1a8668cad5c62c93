"""A detection: a box, a score, a class. What every task whose output is rows of them shares."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest import PoseTask, RowTask
from webbuild.tasks.geometry import Placement

BOX_COLUMNS = 6
"""x1 y1 x2 y2, score, class index; the task's own columns follow."""


class Box(Struct, frozen=True):
    """A box in source pixels, inside the picture."""

    x1: float
    y1: float
    x2: float
    y2: float


class KeypointPosition(Struct, frozen=True):
    """A keypoint in source pixels. `confidence` is 1 for a model that gives none."""

    name: str
    x: float
    y: float
    confidence: float


class Detection(Struct, frozen=True, rename="camel"):
    """An object of a class, with its keypoints where the task has any."""

    box: Box
    score: float
    class_index: int
    label: str
    keypoints: tuple[KeypointPosition, ...] = ()


def columns(task: RowTask) -> int:
    """Return how many numbers a row of the task has."""
    return BOX_COLUMNS + (len(task.keypoints) * task.keypoint_size if isinstance(task, PoseTask) else 0)


def read_box(task: RowTask, row: NDArray[Any], placement: Placement) -> tuple[Box, float, int, str]:
    """Return a row's box in source pixels, its score, its class and that class's name."""
    corners = placement.to_source(row[:4].reshape(2, 2), clamp=True).ravel().tolist()
    index = round(float(row[5]))
    label = task.classes[index] if 0 <= index < len(task.classes) else f"class {index}"
    return Box(*corners), float(row[4]), index, label
