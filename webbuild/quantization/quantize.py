"""Quantizes a float32 tensor to integers and scales, with the scale layout that loses least for its bytes."""

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
"""Bits of a stored number; 32 is an unchanged float."""
_BLOCK_SIZES = (32, 64, 128)
"""Block sizes to try: the numbers of a channel that share a scale."""
_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)
"""Smaller float32 numbers lose digits."""


class QuantizedTensor(Struct, frozen=True):
    """A tensor's integers, in element order, and its scales."""

    layout: ScaleLayout
    values: NDArray[np.int16]
    scales: NDArray[np.float32]

    def dequantize(self) -> NDArray[np.float32]:
        """Return the dequantized floats, flat, bit-identical to the runtime's."""
        return dequantize_blocks(self.values, self.scales, self.layout).ravel()


def quantize(array: NDArray[np.float32], bits: BitWidth, grid: ScaleLayout) -> QuantizedTensor:
    """Quantize a tensor symmetrically to the nearest integers: no float changes by more than half a step.

    A step is the largest magnitude under a scale divided by the largest integer of the bit width: 127 for 8 bits.
    """
    blocks = np.ascontiguousarray(array, np.float32).reshape(grid.shape)  # [groups, block, channels, inner]
    most = 2 ** (bits - 1) - 1
    scales = (np.abs(blocks).max(axis=(1, 3), keepdims=True) / np.float32(most)).astype(np.float32)
    divisors = np.where(scales == 0, np.float32(1), scales).astype(np.float64)
    numbers = np.rint(blocks / divisors).clip(-most, most).astype(np.int16)
    return QuantizedTensor(grid, numbers.ravel(), scales.ravel())


def can_quantize(array: NDArray[np.float32]) -> bool:
    """Whether a tensor can be quantized: every number is finite, and the scale does not lose digits."""
    magnitudes = np.abs(array[array != 0])
    return bool(np.isfinite(array).all() and (not magnitudes.size or magnitudes.max() / 2**15 >= _SMALLEST_NORMAL))


def best_layout(array: NDArray[np.float32]) -> ScaleLayout:
    """Return the scale layout with the least error at 8 bits for its bytes.

    A scale shared by n numbers takes 32 / n bits per number, and one bit more halves every error. So a layout's mean
    square error is multiplied by 4 for every bit per number that its scales take.
    """
    return min(candidate_layouts(array.shape), key=lambda grid: _quantization_error(array, grid))


def candidate_layouts(shape: Sequence[int]) -> Iterator[ScaleLayout]:
    """Yield the possible scale layouts: one scale for all, one per channel of an axis, one per block of a channel."""
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
    """Return the smallest divisor that is at least `least`; the number itself if there is none."""
    return next((each for each in range(max(1, least), 4 * least + 1) if number % each == 0), number)


def _quantization_error(array: NDArray[np.float32], grid: ScaleLayout) -> float:
    lost = quantize(array, 8, grid).dequantize() - array.ravel()
    error = float(np.square(lost, dtype=np.float64).mean())
    return error * float(4.0 ** (32 * grid.scale_count / grid.value_count))
