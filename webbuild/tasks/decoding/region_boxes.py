"""Regions as objects with boxes and masks, for drawings; masks of large pictures are downsampled."""

from __future__ import annotations

import numpy as np

from webbuild.tasks.decoding.detection import Segment
from webbuild.tasks.decoding.mask import Mask
from webbuild.tasks.decoding.regions import Segmentation

_MAX_MASK_SIDE = 240
"""Maximum number of mask cells along the longer side."""


class RegionObject(Segment, frozen=True, rename="camel", kw_only=True):
    """A region as an object; its box is computed from its pixels, not returned by the model."""


def region_objects(regions: Segmentation) -> tuple[RegionObject, ...]:
    """Return every region with a mask inside its box. Semantic regions, which have no score, get 1."""
    height, width = regions.map.shape
    step = max(1.0, max(height, width) / _MAX_MASK_SIDE)
    rows, columns = round(height / step) or 1, round(width / step) or 1
    y, x = (((np.arange(n) + 0.5) * size / n).astype(int) for n, size in ((rows, height), (columns, width)))
    coarse = regions.map[y][:, x]
    objects = []
    for number, region in enumerate(regions.regions, 1):
        inside = coarse == number
        high, wide = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
        top, bottom = (int(high[0]), int(high[-1]) + 1) if high.size else (0, 0)
        left, right = (int(wide[0]), int(wide[-1]) + 1) if wide.size else (0, 0)
        across, down = width / columns, height / rows
        corner = left * across, top * down, (right - left) * across, (bottom - top) * down
        mask = Mask(*corner, right - left, bottom - top, inside[top:bottom, left:right].tobytes())
        score = 1.0 if region.score is None else region.score
        objects.append(RegionObject(region.box, score, region.class_index, region.label, mask=mask))
    return tuple(objects)
