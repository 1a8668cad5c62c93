"""What a crop is cut around, and where it lies in the picture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from webbuild.preprocess.affine import Affine

CORNERS = 4
TURNED = 1.5
"""How many times higher than wide a line is that is written down the page, and read turned."""

Point = tuple[float, float]


class CropBox(Struct, frozen=True):
    """A box to crop: x1 y1 x2 y2 in pixels of the image, with the score and the class of the object in it.

    `points` are the keypoints that a template aligns, `attributes` what earlier stages said of it, by the fields of a
    `CropDetection`. `polygon` are the four corners of a rotated box, clockwise from where its text begins. It is
    `turned` where the text stands on its head. One that is a `part` of a line has the polygon of that part.
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
        """The polygon, else that of the upright box."""
        x1, y1, x2, y2 = self.box
        return self.polygon if len(self.polygon) == CORNERS else ((x1, y1), (x2, y1), (x2, y2), (x1, y2))


class LinePart(Struct, frozen=True):
    """A part of a `line`: it begins so many pixels along it, and shares `overlap` of its width with the one before."""

    line: CropBox
    begin: float
    overlap: float


class Crop(Struct, frozen=True):
    """A crop's box, and where the pixels of the input lie in the picture: those of its first `columns` and `rows`."""

    around: CropBox
    to_picture: Affine
    columns: int
    rows: int


def pixel_size(crop: Crop) -> float:
    """Return the size of one pixel of the crop, in pixels of the image."""
    return math.hypot(crop.to_picture.xx, crop.to_picture.yx) or 1.0


def line_sides(around: CropBox) -> tuple[Point, Point, Point]:
    """Return where a line begins, where its first side ends, and where the side before begins."""
    first, second, third, last = around.corners
    if distance(first, last) >= TURNED * distance(first, second):
        return second, third, first
    return first, second, last


def distance(one: Point, other: Point) -> float:
    """Return how far two points lie apart."""
    across, down = other[0] - one[0], other[1] - one[1]
    return math.sqrt(across * across + down * down)
