"""Sub-cell refinement of heat-map maxima: a shift by a quarter cell, or a Newton step on the blurred logarithms."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import HeatmapHead

Floats = NDArray[np.float64]
Cells = NDArray[np.intp]

_EPSILON = float(np.finfo(np.float32).eps)
"""UDP adds this to the Hessian's diagonal, as in mmpose and transformers."""
_PADDING: dict[str, Literal["symmetric", "reflect", "constant"]] = {
    "symmetric": "symmetric",
    "reflect": "reflect",
    "zero": "constant",
}


def refine_cells(head: HeatmapHead, maps: Floats, cells: Cells) -> Floats:
    """Return the refined cells: maps [n, rows, columns], cells [n, 2] (x, y) -> [n, 2]."""
    if head.refine == "none" or not len(maps):
        return cells.astype(np.float64)
    if head.refine == "shift":
        return _shift(maps, cells)
    return _newton(head, maps, cells)


def _shift(maps: Floats, cells: Cells) -> Floats:
    """Move each cell a quarter of a cell towards its larger neighbour in x and in y, as in mmpose."""
    rows, columns = maps.shape[1:]
    x, y = cells[:, 0], cells[:, 1]
    across = np.sign(_values_at(maps, x + 1, y) - _values_at(maps, x - 1, y)) * ((x > 1) & (x < columns - 1) & (y > 0))
    down = np.sign(_values_at(maps, x, y + 1) - _values_at(maps, x, y - 1)) * ((y > 1) & (y < rows - 1) & (x > 0))
    return cells.astype(np.float64) + 0.25 * np.stack([across, down], axis=-1)


def _newton(head: HeatmapHead, maps: Floats, cells: Cells) -> Floats:
    """Return cells - H^-1 g, with gradient g and Hessian H of the blurred map's logarithm."""
    rows, columns = maps.shape[1:]
    x, y = cells[:, 0], cells[:, 1]
    padded = np.pad(maps, ((0, 0), *((head.radius, head.radius),) * 2), mode=_PADDING[head.border])
    kernel = _gaussian(head)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (len(kernel), len(kernel)), axis=(1, 2))
    low, high = (1e-10, np.inf) if head.refine == "dark" else (0.001, 50)

    def value(dx: int, dy: int) -> Floats:
        at = np.clip(x + dx, 0, columns - 1), np.clip(y + dy, 0, rows - 1)
        blurred = np.einsum("nij,i,j->n", windows[np.arange(len(maps)), at[1], at[0]], kernel, kernel)
        logarithm: Floats = np.log(np.clip(blurred, low, high))
        return logarithm

    middle = value(0, 0)  # [n]
    gx, gy = (value(1, 0) - value(-1, 0)) / 2, (value(0, 1) - value(0, -1)) / 2
    if head.refine == "dark":
        xx = (value(2, 0) - 2 * middle + value(-2, 0)) / 4
        yy = (value(0, 2) - 2 * middle + value(0, -2)) / 4
        xy = (value(1, 1) - value(1, -1) - value(-1, 1) + value(-1, -1)) / 4
        stays = (x <= 1) | (x >= columns - 2) | (y <= 1) | (y >= rows - 2)
    else:
        xx = value(1, 0) - 2 * middle + value(-1, 0) + _EPSILON
        yy = value(0, 1) - 2 * middle + value(0, -1) + _EPSILON
        neighbours = value(1, 0) + value(0, 1) + value(-1, 0) + value(0, -1)
        xy = (value(1, 1) - neighbours + 2 * middle + value(-1, -1)) / 2
        stays = np.zeros(len(maps), bool)
    det = xx * yy - xy * xy
    stays |= det == 0
    step = np.stack([yy * gx - xy * gy, xx * gy - xy * gx], axis=-1) / np.where(stays, 1, det)[:, None]
    return cells.astype(np.float64) - np.where(stays[:, None], 0.0, step)


def _gaussian(head: HeatmapHead) -> Floats:
    """Return the weights of a Gaussian [2 * radius + 1], normalized to a sum of 1."""
    weights = np.exp(-0.5 * (np.arange(-head.radius, head.radius + 1) / head.sigma) ** 2)
    kernel: Floats = weights / weights.sum()
    return kernel


def _values_at(maps: Floats, x: Cells, y: Cells) -> NDArray[Any]:
    """Return the values [n] at cells, with coordinates clamped to the map."""
    rows, columns = maps.shape[1:]
    values: NDArray[Any] = maps[np.arange(len(maps)), np.clip(y, 0, rows - 1), np.clip(x, 0, columns - 1)]
    return values
