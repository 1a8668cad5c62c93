"""Crops: the box that a crop is cut around, and the transform from its pixels to the picture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from webbuild.preprocess.affine import Affine

_CORNERS = 4
_MIN_VERTICAL_RATIO = 1.5
"""Height / width from which a line counts as vertical text. Vertical text is rotated by 90 degrees to be read."""

Point = tuple[float, float]


class CropBox(Struct, frozen=True):
    """A box to crop: x1 y1 x2 y2 in pixels of the image, with the score and the class of the object in it.

    `points` are the keypoints that are aligned to a template, `attributes` the results of earlier stages by field of
    `CropDetection`. `polygon` are the four corners of a rotated box, clockwise from where its text begins. `turned`
    means that the text is upside down. A `part` of a line has the polygon of that part.
    """

    box: tuple[float, float, float, float]
    score: float = 1.0
    class_index: int = 0
    label: str | None = None
    points: tuple[tuple[float, float], ...] = ()
    attributes: Mapping[str, Any] = {}
    polygon: tuple[tuple[float, float], ...] = ()
    turned: bool = False
    part: LinePart | None = None

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """The polygon, else the corners of the axis-aligned box."""
        x1, y1, x2, y2 = self.box
        return self.polygon if len(self.polygon) == _CORNERS else ((x1, y1), (x2, y1), (x2, y2), (x1, y2))


class LinePart(Struct, frozen=True):
    """A part of a `line` that begins `begin` pixels along it; `overlap` is its share in common with the part before."""

    line: CropBox
    begin: float
    overlap: float


class Crop(Struct, frozen=True):
    """A crop: its box, and the transform from input pixels to picture pixels.

    The crop fills the first `columns` and `rows` of the input; the rest is padding.
    """

    crop_box: CropBox
    to_picture: Affine
    columns: int
    rows: int


def pixel_size(crop: Crop) -> float:
    """Return the size of one pixel of the crop, in pixels of the image."""
    return math.hypot(crop.to_picture.xx, crop.to_picture.yx) or 1.0


def line_sides(crop_box: CropBox) -> tuple[Point, Point, Point]:
    """Return three corners of a line of text: the start and the end of its top side, and the start of its bottom."""
    first, second, third, last = crop_box.corners
    if distance(first, last) >= _MIN_VERTICAL_RATIO * distance(first, second):
        return second, third, first
    return first, second, last


def distance(one: Point, other: Point) -> float:
    """Return the Euclidean distance between two points."""
    across, down = other[0] - one[0], other[1] - one[1]
    return math.sqrt(across * across + down * down)
