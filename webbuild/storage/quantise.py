"""A float32 tensor as whole numbers and scales, on the grid that loses least for its bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.storage.form import Grid
from webbuild.storage.restore import products

Bits = Literal[8, 10, 11, 12, 13, 14, 16, 32]
"""Of a stored number; 32 is a float as it was. What is between 8 and 16 is stored in 16: its high bytes are so alike
that gzip leaves little of them."""
_BLOCKS = (32, 64, 128)
"""Numbers that share a scale where a channel has more of them than one scale serves well."""
_TINY = float(np.finfo(np.float32).tiny)
"""Below it float32 loses digits."""


class Quantised(Struct, frozen=True):
    """A tensor's whole numbers, in its own order, and its scales."""

    grid: Grid
    numbers: NDArray[np.int16]
    scales: NDArray[np.float32]

    def restored(self) -> NDArray[np.float32]:
        """Return the floats that come back, flat, to the bit."""
        return products(self.numbers, self.scales, self.grid).ravel()


def quantise(array: NDArray[np.float32], bits: Bits, grid: Grid) -> Quantised:
    """Return a tensor's nearest whole numbers, symmetric about zero: no float moves by more than half a step.

    A step is the largest magnitude under a scale, divided by the largest whole number of so many bits: 127 of 8.
    """
    seen = np.ascontiguousarray(array, np.float32).reshape(grid.shape)
    most = 2 ** (bits - 1) - 1
    scales = (np.abs(seen).max(axis=(1, 3), keepdims=True) / np.float32(most)).astype(np.float32)
    divisors = np.where(scales == 0, np.float32(1), scales).astype(np.float64)
    numbers = np.rint(seen / divisors).clip(-most, most).astype(np.int16)
    return Quantised(grid, numbers.ravel(), scales.ravel())


def can_be(array: NDArray[np.float32]) -> bool:
    """Whether a tensor can be stored so: every number finite, and none so small that its scale loses digits."""
    magnitudes = np.abs(array[array != 0])
    return bool(np.isfinite(array).all() and (not magnitudes.size or magnitudes.max() / 2**15 >= _TINY))


def best_grid(array: NDArray[np.float32]) -> Grid:
    """Return the grid that loses least at 8 bits for the bytes that it takes.

    A scale that n numbers share takes 32 / n bits of each, and a bit more halves every error: so a grid's mean square
    error counts 4 times for every bit that its scales take.
    """
    return min(grids(array.shape), key=lambda grid: _cost(array, grid))


def grids(shape: Sequence[int]) -> Iterator[Grid]:
    """Give the ways in which a tensor may share scales: one for all, one a channel of an axis, one a block of those."""
    count = prod(shape)
    yield Grid(1, 1, 1, count)
    for axis, channels in enumerate(shape):
        outer, inner = prod(shape[:axis]), prod(shape[axis + 1 :])
        if channels == 1 or channels == count:
            continue
        yield Grid(1, outer, channels, inner)
        for least in _BLOCKS:
            block = _divisor(outer, least // inner)
            if inner < least and block < outer:
                yield Grid(outer // block, block, channels, inner)
            block = _divisor(inner, least)
            if axis == 0 and block < inner:
                yield Grid(1, 1, count // block, block)


def _divisor(number: int, least: int) -> int:
    """Return the smallest divisor that is `least` or more; the number itself where there is none."""
    return next((each for each in range(max(1, least), 4 * least + 1) if number % each == 0), number)


def _cost(array: NDArray[np.float32], grid: Grid) -> float:
    lost = quantise(array, 8, grid).restored() - array.ravel()
    error = float(np.square(lost, dtype=np.float64).mean())
    return error * float(4.0 ** (32 * grid.scales / grid.numbers))
