"""What a crop is cut around, and where it lies in the picture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from webbuild.preprocess.affine import Affine

CORNERS = 4


class CropBox(Struct, frozen=True):
    """What a crop is cut around: x1 y1 x2 y2 in pixels of the picture, with the score and the class of what is in it.

    `points` are the keypoints that a template aligns, `said` what earlier stages said of it, by the fields of a
    `CropDetection`. `polygon` are the four corners of a rotated box, clockwise from where its text begins. It is
    `turned` where the text stands on its head.
    """

    box: tuple[float, float, float, float]
    score: float = 1.0
    class_index: int = 0
    label: str | None = None
    points: tuple[tuple[float, float], ...] = ()
    said: Mapping[str, Any] = {}
    polygon: tuple[tuple[float, float], ...] = ()
    turned: bool = False

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """The polygon, else that of the upright box."""
        x1, y1, x2, y2 = self.box
        return self.polygon if len(self.polygon) == CORNERS else ((x1, y1), (x2, y1), (x2, y2), (x1, y2))


class Crop(Struct, frozen=True):
    """A crop's box, and where the pixels of the input lie in the picture: those of its first `columns`."""

    around: CropBox
    to_picture: Affine
    columns: int


def pixel_size(crop: Crop) -> float:
    """Return how many pixels of the picture one of a crop is."""
    return math.hypot(crop.to_picture.xx, crop.to_picture.yx) or 1.0
