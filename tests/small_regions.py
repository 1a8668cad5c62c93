"""Fill small holes of a mask and remove small islands, like SAM's generator with `min_mask_region_area`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


def without_small_regions(mask: Mask, min_pixels: float) -> Mask:
    """Return a mask [height, width] without holes and islands smaller than `min_pixels`; the same object if unchanged.

    Regions are 8-connected. If no island is large enough, the largest stays.
    """
    labels, sizes = _regions(~mask)
    small = np.flatnonzero(sizes < min_pixels)
    filled = mask | np.isin(labels, small + 1)
    labels, islands = _regions(filled)
    large = np.flatnonzero(islands >= min_pixels)
    if not small.size and large.size == islands.size:
        return mask
    kept = large if large.size else np.atleast_1d(np.argmax(islands))
    return np.isin(labels, kept + 1)


def _regions(mask: Mask) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Label the 8-connected regions: the label of each pixel [height, width], 0 outside, and the size of each region.

    Regions are numbered from 1, by their first pixel in column-major order.
    """
    height, width = mask.shape
    labels = np.where(mask.T, np.arange(1, mask.size + 1).reshape(width, height), 0)  # [width, height]
    padded = np.pad(labels, 1, constant_values=mask.size + 1)
    inside = np.pad(mask.T, 1)
    padded[~inside] = mask.size + 1
    while True:
        neighbourhood_min = np.min([padded[x : x + width, y : y + height] for x in range(3) for y in range(3)], axis=0)
        neighbourhood_min = np.where(mask.T, neighbourhood_min, mask.size + 1)
        if np.array_equal(neighbourhood_min, padded[1:-1, 1:-1]):
            break
        padded[1:-1, 1:-1] = neighbourhood_min
    _, numbers, counts = np.unique(neighbourhood_min[mask.T], return_inverse=True, return_counts=True)
    region_numbers = np.zeros((width, height), np.int64)
    region_numbers[mask.T] = numbers + 1
    return region_numbers.T, counts
