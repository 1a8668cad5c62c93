"""The outline of a mask: the lines between covered and uncovered cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.tasks.decoding.mask import Mask

Line = tuple[float, float, float, float]


def mask_outline(mask: Mask) -> list[Line]:
    """Return (x1, y1, x2, y2) of every line in source pixels; adjacent collinear lines are merged."""
    if not mask.data:
        return []
    cells = np.pad(mask.grid, 1)
    size = np.array([mask.width / mask.columns, mask.height / mask.rows])
    level = _edge_runs(cells[1:] != cells[:-1])
    upright = _edge_runs((cells[:, 1:] != cells[:, :-1]).T)[:, [1, 0, 3, 2]]
    # The line between padded rows r and r + 1 is at row r, the line between padded columns c - 1 and c at column c - 1.
    lines = np.concatenate([level - [1, 0, 1, 0], upright - [0, 1, 0, 1]]).reshape(-1, 2, 2)
    return [tuple(line) for line in (lines * size + [mask.x, mask.y]).reshape(-1, 4).tolist()]


def _edge_runs(present: NDArray[Any]) -> NDArray[np.int64]:
    """Return (start, line, end, line) of every run of True along the last axis: [n, 4]."""
    change = np.diff(np.pad(present, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    starts, ends = np.argwhere(change == 1), np.argwhere(change == -1)
    return np.stack([starts[:, 1], starts[:, 0], ends[:, 1], ends[:, 0]], axis=-1).astype(np.int64)
