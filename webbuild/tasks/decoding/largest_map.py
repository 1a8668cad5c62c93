"""Argmax over maps: the number of the largest map at each pixel of the source picture."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.tasks.decoding.depth_map import BilinearTaps, Floats, bilinear_taps

_ROWS_AT_ONCE = 32
"""Source rows per block: in a small block fewer maps can be the largest, so fewer are resampled."""


def number_largest(
    read_rows: Callable[[slice], Floats], rows: int, columns: int, placement: ImagePlacement
) -> NDArray[np.int32]:
    """Return the number, from 1, of the largest map at each source pixel [height, width]; ties go to the first map.

    It is 0 where all maps are NaN. The result equals resampling every map with `resample_map`: a map is only skipped
    where its cells around a pixel are all below those of another map.

    Args:
        read_rows: returns a range of rows of all maps [maps, rows, columns].
        rows: the maps' number of rows.
        columns: the maps' number of columns.
        placement: the picture's placement in the input.
    """
    x = bilinear_taps(placement.left, placement.width, placement.source_width, placement.input_width, columns)
    y = bilinear_taps(placement.top, placement.height, placement.source_height, placement.input_height, rows)
    winner = np.zeros((placement.source_height, placement.source_width), np.int32)
    for start in range(0, len(winner), _ROWS_AT_ONCE):
        at = slice(start, start + _ROWS_AT_ONCE)
        first, second, weight = y[0][at], y[1][at], y[2][at]
        low = int(min(first.min(), second.min()))
        maps = np.asarray(read_rows(slice(low, int(max(first.max(), second.max())) + 1)), np.float32)
        winner[at] = _number_largest(maps, (first - low, second - low, weight), x)
    return winner


def _number_largest(maps: Floats, y: BilinearTaps, x: BilinearTaps) -> NDArray[np.int32]:
    """Return the number of the largest map at the pixels of the taps [height, width], for some rows of all maps."""
    top = np.full((len(y[0]), len(x[0])), -np.inf, np.float32)
    winner = np.zeros(top.shape, np.int32)
    for number, (values, columns) in enumerate(zip(maps, _may_be_largest(maps, x), strict=True), 1):
        at = np.flatnonzero(columns)
        if not at.size:
            continue
        likely, before = _read(values, y, (x[0][at], x[1][at], x[2][at])), top[:, at]
        wins = likely > before
        top[:, at] = np.where(wins, likely, before)
        winner[:, at] = np.where(wins, number, winner[:, at])
    return winner


def _may_be_largest(maps: Floats, x: BilinearTaps) -> NDArray[np.bool_]:
    """Return which maps may be the largest in each source column, [maps, width]: not entirely below another map."""
    if not np.isfinite(maps).all():
        return np.ones((len(maps), len(x[0])), np.bool_)
    highest, lowest = maps.max(axis=1), maps.min(axis=1)
    highest = np.maximum(highest[:, x[0]], highest[:, x[1]])
    lowest = np.minimum(lowest[:, x[0]], lowest[:, x[1]])
    return np.asarray(highest >= lowest.max(axis=0))


def _read(values: Floats, y: BilinearTaps, x: BilinearTaps) -> Floats:
    """Resample a map to the pixels of the taps, in the order of operations of `resample_map`."""
    grid = values.astype(np.float64)
    across = (1 - x[2]) * grid.take(x[0], axis=1) + x[2] * grid.take(x[1], axis=1)
    down = y[2][:, None]
    return np.asarray((1 - down) * across[y[0]] + down * across[y[1]], np.float32)
