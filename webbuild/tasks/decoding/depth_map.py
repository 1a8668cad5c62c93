"""Resample a map over the model's input to the pixels of the source picture; see `DepthTask`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.preprocess.letterbox import ImagePlacement

Floats = NDArray[np.float32]
BilinearTaps = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]


_ROWS_AT_ONCE = 32
"""Source rows per block: a compromise between speed and memory."""


class DepthMap(Struct, frozen=True):
    """The depth of each source pixel [height, width], and its confidence, None if the model returns none.

    `minimum` and `maximum` are over the finite values of `depth`, NaN where there is none.
    """

    depth: Floats
    confidence: Floats | None
    minimum: float
    maximum: float


def resample_map(values: NDArray[Any], placement: ImagePlacement) -> Floats:
    """Resample a map [..., rows, columns], all other sizes 1, to the pixels of the source [height, width].

    Keep the order of the operations: the browser runtime must compute the same bits.
    """
    rows, columns = values.shape[-2:]
    grid = values.reshape(rows, columns).astype(np.float64)
    x = bilinear_taps(placement.left, placement.width, placement.source_width, placement.input_width, columns)
    y = bilinear_taps(placement.top, placement.height, placement.source_height, placement.input_height, rows)
    result = np.empty((placement.source_height, placement.source_width), np.float32)
    x0, x1, fx = x
    for start in range(0, len(result), _ROWS_AT_ONCE):
        first, second, fy = (each[start : start + _ROWS_AT_ONCE] for each in y)
        read, places = np.unique([first, second], return_inverse=True)  # upscaling reads each map row many times
        part = grid[read]
        across = (1 - fx) * part.take(x0, axis=1) + fx * part.take(x1, axis=1)
        above, below = across[places.reshape(2, -1)]
        down = fy[:, None]
        result[start : start + _ROWS_AT_ONCE] = (1 - down) * above + down * below
    return result


def finite_range(values: Floats) -> tuple[float, float]:
    """Return the smallest and the largest finite value, NaN if there is none."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (math.nan, math.nan)


def bilinear_taps(start: int, drawn: int, source: int, size: int, cells: int) -> BilinearTaps:
    """Return for each source pixel along one side the two nearest cells, and the weight of the second, each [source].

    The weight is NaN for a pixel outside the input.
    """
    least = min(math.ceil(max(start, 0) * cells / size - 0.5), cells - 1)
    most = max(least, math.ceil(min(start + drawn, size) * cells / size - 0.5) - 1)
    coordinate = start + ((np.arange(source) + 0.5) * drawn) / source
    position = np.clip(coordinate * cells / size - 0.5, least, most)
    first = np.floor(position).astype(np.intp)
    weight = np.where((coordinate >= 0) & (coordinate <= size), position - first, np.nan)
    return first, np.minimum(first + 1, most), weight
