"""Regions of a segmentation: a map of region numbers, and the regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.tasks.decoding.detection import Box

RegionMap = NDArray[np.uint16]


class Region(Struct, frozen=True, rename="camel"):
    """An instance, or all pixels of a class. `score` is None for semantic regions, classified pixel by pixel.

    `pixels` is its area in source pixels, `share` the fraction of the picture, `box` its bounding box.
    """

    class_index: int
    label: str
    score: float | None
    pixels: int
    share: float
    box: Box


class Segmentation(Struct, frozen=True):
    """Regions, and a `map` [height, width] over the source picture: each pixel's region number from 1, or 0."""

    map: RegionMap
    regions: tuple[Region, ...]

    def describe(self, index: int) -> str:
        """Return a region's label, score and size as text."""
        region = self.regions[index]
        score = "" if region.score is None else f", score {region.score:.4f}"
        return f"{region.label}{score}, {region.pixels} pixels"


class DrawnRegion(Struct, frozen=True):
    """A region drawn in the map under `number`, not yet measured."""

    number: int
    class_index: int
    score: float | None


def measure_regions(numbers: NDArray[Any], drawn: Sequence[DrawnRegion], classes: Sequence[str]) -> Segmentation:
    """Renumber the visible regions, in order, and measure them; hidden ones are dropped.

    Args:
        numbers: [height, width]; 0, and numbers that no region has, are background.
        drawn: the regions in the order of the result. Several may share a number.
        classes: the class names.
    """
    height, width = numbers.shape
    regions: list[Region] = []
    result = np.zeros((height, width), np.uint16)
    for each in drawn:
        inside = numbers == each.number
        rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
        if not rows.size:
            continue
        result[inside] = len(regions) + 1
        box = Box(float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1))
        pixels = int(inside.sum())
        label = classes[each.class_index] if each.class_index < len(classes) else f"class {each.class_index}"
        regions.append(Region(each.class_index, label, each.score, pixels, pixels / (height * width), box))
    return Segmentation(result, tuple(regions))
