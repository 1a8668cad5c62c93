"""Detections: box, score and class, shared by all tasks that output rows of detections."""

from __future__ import annotations

import math
from typing import Any

from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import ObbTask, PoseTask, RowTask, SegmentTask
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.tasks.decoding.mask import Mask

BOX_COLUMNS = 6
"""Four box coordinates, score, class index; the task's own columns follow."""


class Box(Struct, frozen=True):
    """A box in source pixels, inside the picture."""

    x1: float
    y1: float
    x2: float
    y2: float


class KeypointPosition(Struct, frozen=True):
    """A keypoint in source pixels. `confidence` is 1 for a model without confidences."""

    name: str
    x: float
    y: float
    confidence: float


class CropKeypoint(KeypointPosition, frozen=True):
    """A keypoint of a crop.

    `margins[n]` is the difference of its score to the best score more than n cells away: with a small margin,
    rounding may choose another cell. A cell is `step` input pixels wide, an input pixel is `pixel` picture pixels wide;
    0 if unknown.
    """

    margins: tuple[float, ...] = (math.inf,)
    step: float = 0.0
    pixel: float = 0.0


class Point(Struct, frozen=True):
    """A point in source pixels."""

    x: float
    y: float


class Detection(Struct, frozen=True, rename="camel"):
    """An object of a class, with its keypoints if the task has them."""

    box: Box
    score: float
    class_index: int
    label: str
    keypoints: tuple[KeypointPosition, ...] = ()


class Segment(Detection, frozen=True, rename="camel", kw_only=True):
    """An object with its mask."""

    mask: Mask


class OrientedObject(Detection, frozen=True, rename="camel", kw_only=True):
    """An object with its rotated box; `box` is the axis-aligned box around it, clamped to the picture.

    `width` and `height` are the lengths of its sides in source pixels. `angle` is in radians, from the x axis to the
    width's side, towards y. The `corners` may be outside the picture; at angle 0 the first is the upper left corner,
    the others follow clockwise.
    """

    center: Point
    width: float
    height: float
    angle: float
    corners: tuple[Point, ...]


class TextBox(Detection, frozen=True, rename="camel", kw_only=True):
    """Text with its polygon: four corners x, y in the picture, clockwise from the upper left; `box` is around them.

    `cell` is the width in picture pixels of a cell of the detector's map, 0 if unknown.
    """

    polygon: tuple[tuple[float, float], ...]
    cell: float = 0.0


class GroundedDetection(Detection, frozen=True, rename="camel", kw_only=True):
    """A detection with the words found in the prompt as `label`, and the index of the phrase as class.

    `margin` is the smallest distance of a token's score from the text threshold.
    """

    margin: float = 1.0


def row_width(task: RowTask) -> int:
    """Return the number of columns of a row of the task."""
    match task:
        case PoseTask():
            return BOX_COLUMNS + len(task.keypoints) * task.keypoint_size
        case SegmentTask():
            return BOX_COLUMNS + task.mask_coefficients
        case ObbTask():
            return BOX_COLUMNS + 1
        case _:
            return BOX_COLUMNS


def count_classes(classes: list[str]) -> str:
    """Return the found objects in words: the class if there is one, else the number of classes."""
    if classes == ["person"]:
        return "people"
    return f"objects of the class {classes[0]}" if len(classes) == 1 else f"{len(classes)} kinds of objects"


def decode_box(task: RowTask, row: NDArray[Any], placement: ImagePlacement) -> tuple[Box, float, int, str]:
    """Return the box in source pixels of a row that begins with x1 y1 x2 y2, and its score, class index and label."""
    corners = placement.to_source(row[:4].reshape(2, 2), clamp=True).ravel().tolist()
    return Box(*corners), *decode_class(task, row)


def decode_class(task: RowTask, row: NDArray[Any]) -> tuple[float, int, str]:
    """Return a row's score, class index and label."""
    index = round(float(row[5]))
    label = task.classes[index] if 0 <= index < len(task.classes) else f"class {index}"
    return float(row[4]), index, label
