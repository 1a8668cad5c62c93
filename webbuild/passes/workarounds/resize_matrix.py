"""One axis of a Resize as a matrix [output size, input size], in float64, after ONNX's reference implementation."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Matrix = NDArray[Any]


class ResizeFilter(Struct, frozen=True):
    """The attributes of a Resize. `cubic` is None for linear, else `cubic_coeff_a`."""

    coordinates: str
    cubic: float | None
    antialias: bool
    exclude_outside: bool


def resize_matrix(how: ResizeFilter, size: int, scale: float, result: int) -> Matrix:
    """Return the weights [result, size] of one axis that is scaled by `scale`."""
    stretch = max(1.0, 1 / scale) if how.antialias else 1.0
    reach = (2 if how.cubic is not None else 1) * stretch
    rows = np.zeros((result, size))
    for cell in range(result):
        coordinate = _source_coordinate(how.coordinates, cell, size, scale, result)
        first = int(np.floor(coordinate - reach)) + 1
        cells = np.arange(first, int(np.floor(coordinate + reach)) + 1)
        weights = _kernel_weight(how, (cells - coordinate) / stretch)
        if how.exclude_outside:
            weights = np.where((cells >= 0) & (cells < size), weights, 0)
        weights = weights / weights.sum()
        np.add.at(rows[cell], np.clip(cells, 0, size - 1), weights)
    return rows


def _source_coordinate(coordinates: str, cell: int, size: int, scale: float, result: int) -> float:
    """Return the input coordinate of an output cell."""
    if coordinates == "align_corners":
        return 0.0 if result == 1 else cell * (size - 1) / (result - 1)
    if coordinates == "asymmetric":
        return cell / scale
    if coordinates == "pytorch_half_pixel" and result == 1:
        return 0.0
    return (cell + 0.5) / scale - 0.5


def _kernel_weight(how: ResizeFilter, distance: Matrix) -> Matrix:
    far = np.abs(distance)
    if how.cubic is None:
        linear: Matrix = np.maximum(0, 1 - far)
        return linear
    a = how.cubic
    near = ((a + 2) * far - (a + 3)) * far * far + 1
    outer = a * (((far - 5) * far + 8) * far - 4)
    weights: Matrix = np.where(far <= 1, near, np.where(far < 2, outer, 0))
    return weights
