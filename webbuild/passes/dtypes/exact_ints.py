"""8-bit and 16-bit integers as float32, in which every integer up to 16,777,216 is exact."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, replace_all_uses, static_shape

FLOAT32_EXACT_MAX = 2**24
"""Every integer up to this is exact in float32."""

_ROUNDING_SHIFT = 1.5 * 2**23
"""Adding and subtracting this rounds numbers below 2^22 half to even: the sum has no bits for a fraction."""

QUANTIZED_RANGES = {
    ir.DataType.UINT8: (0.0, 255.0),
    ir.DataType.INT8: (-128.0, 127.0),
    ir.DataType.UINT16: (0.0, 65_535.0),
    ir.DataType.INT16: (-32_768.0, 32_767.0),
}
"""(minimum, maximum) of the types that activations are quantized to."""


class ExactInts:
    """Integer values of the graph that are available as float32: as they are ("plain"), or minus a zero point."""

    def __init__(self) -> None:
        self._plain: dict[ir.Value, ir.Value] = {}
        self._centred: dict[tuple[ir.Value, ir.Value | None], ir.Value] = {}

    def replace(self, add: Builder, old: ir.Value, plain: ir.Value) -> ir.Value:
        """Let the readers of an integer value read `plain` cast to its type; return the Cast's output.

        A uint8 output of the graph is cast as a vector: after a Conv, ONNX Runtime would transpose the bytes on the
        CPU.
        """
        assert old.dtype is not None
        shape = static_shape(old)
        bytes_out = old.dtype == ir.DataType.UINT8 and old.is_graph_output()
        laid_out = bytes_out and shape is not None and len(shape) > 2
        line = add.reshape(plain, [-1]) if laid_out else plain
        cast = add.cast(line, old.dtype)
        if laid_out and shape is not None:
            cast = add.reshape(cast, shape)
        cast.type, cast.shape = old.type, old.shape
        replace_all_uses(old, cast)
        self._plain[cast] = plain
        return cast

    def record(self, value: ir.Value, zero: ir.Value | None, centred: ir.Value) -> None:
        """Record `centred` as value - zero."""
        self._centred[value, zero] = centred

    def has_float(self, value: ir.Value | None) -> bool:
        """Whether the value is available as float32."""
        return value in self._plain

    def plain(self, value: ir.Value | None) -> ir.Value:
        """Return the float32 form of a value that has one."""
        assert value is not None
        return self._plain[value]

    def has_centered(self, value: ir.Value, zero: ir.Value | None) -> bool:
        """Whether value - zero is available as float32."""
        return (value, zero) in self._centred

    def centered(self, add: Builder, value: ir.Value, zero: ir.Value | None, axis: int | None = None) -> ir.Value:
        """Return value - zero in float32; with `axis`, there is a zero point for each index along it.

        A DequantizeLinear with scale 1 does it, so that a constant stays stored in 8 bits. Bytes that are computed or
        fed are cast instead: before a Conv, ONNX Runtime would transpose the bytes before the DequantizeLinear, with a
        QuantizeLinear on the CPU.
        """
        if (value, zero) in self._centred:
            return self._centred[value, zero]
        if value in self._plain:
            result = self._subtract(add, self._plain[value], zero)
        elif value.dtype == ir.DataType.UINT8 and constant(value) is None and (zero is None or is_scalar(zero)):
            result = self._subtract(add, add.cast(value, ir.DataType.FLOAT), zero)
            result.shape = value.shape
        else:
            point = constant(zero)
            along = {} if axis is None or point is None or point.size == 1 else {"axis": axis}
            if point is not None and not along:
                zero = add.const(point.reshape(()), point.dtype)
            scale = add.const(np.ones(point.shape if along and point is not None else ()))
            result = add.op("DequantizeLinear", value, scale, *([] if zero is None else [zero]), **along)
            result.shape = value.shape
        self._centred[value, zero] = result
        return result

    def _subtract(self, add: Builder, plain: ir.Value, zero: ir.Value | None) -> ir.Value:
        if zero is None:
            return plain
        point = constant(zero)
        shift = self._plain.get(zero) or (add.const(point) if point is not None else add.op("Cast", zero, to=1))
        return add.op("Sub", plain, shift)


def round_half_even(add: Builder, value: ir.Value) -> ir.Value:
    """Return a value of magnitude below 2^22 rounded half to even."""
    shift = add.const(_ROUNDING_SHIFT)
    return add.op("Sub", add.op("Add", value, shift), shift)


def saturate(add: Builder, value: ir.Value, zero: NDArray[Any], dtype: ir.DataType) -> ir.Value:
    """Return a value rounded and clamped to the range of a quantized type minus its constant zero point."""
    low, high = (add.const(np.float32(limit) - zero.astype(np.float32)) for limit in QUANTIZED_RANGES[dtype])
    return round_half_even(add, add.op("Max", add.op("Min", value, high), low))


def broadcast_along(array: NDArray[Any], axis: int, rank: int) -> NDArray[Any]:
    """Return a 1-D array reshaped to broadcast along an axis; a single number becomes a scalar."""
    if array.size == 1:
        return array.reshape(())
    return array.reshape([-1 if position == axis % rank else 1 for position in range(rank)])


def is_scalar(value: ir.Value | None) -> bool:
    """Whether a value has the shape [] or [1]."""
    shape = static_shape(value)
    return shape is not None and prod(shape) == 1 and len(shape) <= 1
