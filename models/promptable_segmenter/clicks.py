"""Simulated clicks of a careful person: first in the object's middle, then where the mask is most wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.scenes.picture import Mask

OBJECT, BACKGROUND, PADDING = 1, 0, -1
"""Labels: a foreground point, a background point, and padding."""

BOX_CORNERS = (2, 3)
"""Labels of a box's upper left and lower right corner."""

Depth = np.ndarray[Any, np.dtype[np.int64]]


def depth(mask: Mask) -> Depth:
    """Return each pixel's number of steps [h, w] to the outside of the mask or the picture; 0 outside the mask."""
    left = np.pad(mask, 1)
    steps = left.astype(np.int64)
    while left.any():
        inner = np.zeros_like(left)
        inner[1:-1, 1:-1] = np.lib.stride_tricks.sliding_window_view(left, (3, 3)).all((2, 3))
        left = inner
        steps += left
    return steps[1:-1, 1:-1]


def deepest(mask: Mask) -> tuple[int, int, int]:
    """Return the pixel x, y in the middle of a mask's widest part, and its depth."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if not len(rows):
        return 0, 0, 0
    top, left = rows[0], columns[0]
    steps = depth(mask[top : rows[-1] + 1, left : columns[-1] + 1])
    row, column = np.unravel_index(int(steps.argmax()), steps.shape)
    return int(left + column), int(top + row), int(steps.max())


def correction(found: Mask, truth: Mask) -> tuple[int, int, int]:
    """Return the next click x, y and its label: in the deepest region that is missing or wrongly included."""
    missing, extra = deepest(truth & ~found), deepest(found & ~truth)
    if not missing[2] and not extra[2]:
        missing = deepest(truth)
    return (*missing[:2], OBJECT) if missing[2] >= extra[2] else (*extra[:2], BACKGROUND)
