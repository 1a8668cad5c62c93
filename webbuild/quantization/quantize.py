"""A float32 tensor as whole numbers and scales, on the grid that loses least for its bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.quantization.dequantize import dequantize_blocks
from webbuild.quantization.weight_format import ScaleLayout

BitWidth = Literal[8, 16, 32]
"""Of a stored number; 32 is a float as it was."""
_BLOCK_SIZES = (32, 64, 128)
"""Numbers that share a scale where a channel has more of them than one scale serves well."""
_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)
"""Below it float32 loses digits."""


class QuantizedTensor(Struct, frozen=True):
    """A tensor's whole numbers, in its own order, and its scales."""

    layout: ScaleLayout
    values: NDArray[np.int16]
    scales: NDArray[np.float32]

    def dequantize(self) -> NDArray[np.float32]:
        """Return the floats that come back, flat, to the bit."""
        return dequantize_blocks(self.values, self.scales, self.layout).ravel()


def quantize(array: NDArray[np.float32], bits: BitWidth, grid: ScaleLayout) -> QuantizedTensor:
    """Return a tensor's nearest whole numbers, symmetric about zero: no float moves by more than half a step.

    A step is the largest magnitude under a scale, divided by the largest whole number of so many bits: 127 of 8.
    """
    seen = np.ascontiguousarray(array, np.float32).reshape(grid.shape)
    most = 2 ** (bits - 1) - 1
    scales = (np.abs(seen).max(axis=(1, 3), keepdims=True) / np.float32(most)).astype(np.float32)
    divisors = np.where(scales == 0, np.float32(1), scales).astype(np.float64)
    numbers = np.rint(seen / divisors).clip(-most, most).astype(np.int16)
    return QuantizedTensor(grid, numbers.ravel(), scales.ravel())


def can_quantize(array: NDArray[np.float32]) -> bool:
    """Whether a tensor can be stored so: every number finite, and none so small that its scale loses digits."""
    magnitudes = np.abs(array[array != 0])
    return bool(np.isfinite(array).all() and (not magnitudes.size or magnitudes.max() / 2**15 >= _SMALLEST_NORMAL))


def best_layout(array: NDArray[np.float32]) -> ScaleLayout:
    """Return the grid that loses least at 8 bits for the bytes that it takes.

    A scale that n numbers share takes 32 / n bits of each, and a bit more halves every error: so a grid's mean square
    error counts 4 times for every bit that its scales take.
    """
    return min(candidate_layouts(array.shape), key=lambda grid: _quantization_error(array, grid))


def candidate_layouts(shape: Sequence[int]) -> Iterator[ScaleLayout]:
    """Give the ways in which a tensor may share scales: one for all, one a channel of an axis, one a block of those."""
    count = prod(shape)
    yield ScaleLayout(1, 1, 1, count)
    for axis, channels in enumerate(shape):
        outer, inner = prod(shape[:axis]), prod(shape[axis + 1 :])
        if channels == 1 or channels == count:
            continue
        yield ScaleLayout(1, outer, channels, inner)
        for least in _BLOCK_SIZES:
            block = _divisor(outer, least // inner)
            if inner < least and block < outer:
                yield ScaleLayout(outer // block, block, channels, inner)
            block = _divisor(inner, least)
            if axis == 0 and block < inner:
                yield ScaleLayout(1, 1, count // block, block)


def _divisor(number: int, least: int) -> int:
    """Return the smallest divisor that is `least` or more; the number itself where there is none."""
    return next((each for each in range(max(1, least), 4 * least + 1) if number % each == 0), number)


def _quantization_error(array: NDArray[np.float32], grid: ScaleLayout) -> float:
    lost = quantize(array, 8, grid).dequantize() - array.ravel()
    error = float(np.square(lost, dtype=np.float64).mean())
    return error * float(4.0 ** (32 * grid.scale_count / grid.value_count))
