"""Integer matrix products and convolutions in float32: exact as long as no partial sum can exceed 2^24."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.builder import Builder
from webbuild.passes.dtypes.exact_ints import FLOAT32_EXACT_MAX, ExactInts
from webbuild.passes.rewrite import constant, static_shape

_MAX_DISTANCE = 255
"""Largest magnitude of an 8-bit integer minus its zero point."""


class IntMatmulOperands:
    """Operands of an integer product: data, weights, their zero points, and the axes that are summed over."""

    def __init__(self, node: ir.Node, data: int, weights: int, zeros: tuple[int, int]) -> None:
        self.node = node
        inputs = [*node.inputs, *[None] * 9]
        self.data, self.weights = inputs[data], inputs[weights]
        self.data_zero, self.weights_zero = inputs[zeros[0]], inputs[zeros[1]]
        self.is_conv = "Conv" in node.op_type
        self.shared = (1, 1) if self.is_conv else (-1, -2)
        """The summed axis of the data and of the weights."""


def exact_sum_blocker(operands: IntMatmulOperands) -> str | None:
    """Return why the sums cannot be computed in float32, None if they can."""
    weights, zero = static_shape(operands.weights), constant(operands.weights_zero)
    if weights is None or static_shape(operands.data) is None or len(weights) < 2:
        return "its shapes are unknown"
    if operands.weights_zero is not None and zero is None:
        return "the zero point of its weights is computed"
    if zero is not None and zero.size > 1 and not operands.is_conv and len(weights) != 2:
        return "it has a zero point per column of several matrices"
    if (points := static_shape(operands.data_zero) if operands.data_zero is not None else []) is None or np.prod(
        points
    ) != 1:
        return "it has a zero point per row of its data"
    if _exact_chunks(operands) is None:
        return "a sum may exceed 2^24, beyond which float32 is not exact"
    return None


def _exact_chunks(operands: IntMatmulOperands) -> list[tuple[int, int]] | None:
    """Return a split of the summed axis such that no part's sum can exceed 2^24, None if there is none."""
    magnitudes = _magnitudes(operands)
    size = len(magnitudes)
    grouped = operands.node.attributes.get_int("group", 1) > 1
    parts = 1
    while parts <= (1 if grouped else size):
        # the summed axis in equal parts: 0 .. a .. b .. size
        edges = np.linspace(0, size, parts + 1).astype(int).tolist()
        chunks = list(pairwise(edges))
        if all(_largest(magnitudes[first:last]) < FLOAT32_EXACT_MAX for first, last in chunks):
            return chunks
        parts += 1
    return None


def sum_bound(operands: IntMatmulOperands) -> int:
    """Return a bound on the magnitude of the sums."""
    return _largest(_magnitudes(operands))


def _largest(magnitudes: NDArray[np.int64]) -> int:
    return _MAX_DISTANCE * int(magnitudes.sum(0).max(initial=0))


def _magnitudes(operands: IntMatmulOperands) -> NDArray[np.int64]:
    """Return the magnitudes of the weights minus their zero point, [summed axis, outputs]."""
    shape, stored = static_shape(operands.weights), constant(operands.weights)
    assert shape is not None
    if stored is None:
        values: NDArray[np.int64] = np.full(shape, _MAX_DISTANCE, np.int64)
    else:
        zero = constant(operands.weights_zero)
        points = np.zeros((), np.int64) if zero is None else zero.astype(np.int64)
        axis = 0 if operands.is_conv else -1
        broadcast = [points.size if position == axis % len(shape) else 1 for position in range(len(shape))]
        values = np.abs(stored.astype(np.int64) - points.reshape(broadcast if points.size > 1 else ()))
    if operands.is_conv:
        # weights [M, C / group, kh, kw] -> [C / group, M]
        summed: NDArray[np.int64] = values.reshape(*shape[:2], -1).sum(2).T
        return summed
    # weights [..., K, N] -> [K, ... * N]
    return np.moveaxis(values, -2, 0).reshape(shape[-2], -1)


def exact_sums(add: Builder, ints: ExactInts, operands: IntMatmulOperands) -> tuple[ir.Value, bool]:
    """Return the sums, and whether they are float32; they are int32 if they are added from parts."""
    assert operands.data is not None
    assert operands.weights is not None
    data = ints.centered(add, operands.data, operands.data_zero)
    weights = ints.centered(add, operands.weights, operands.weights_zero, 0 if operands.is_conv else 1)
    parts = _exact_chunks(operands)
    assert parts is not None
    if len(parts) == 1:
        return _product(add, operands, data, weights), True
    total: ir.Value | None = None
    for one, other in _split_operands(add, operands, data, weights, parts):
        part = add.cast(_product(add, operands, one, other), ir.DataType.INT32)
        total = part if total is None else add.op("Add", total, part)
    assert total is not None
    return total, False


def _split_operands(
    add: Builder, operands: IntMatmulOperands, data: ir.Value, weights: ir.Value, parts: list[tuple[int, int]]
) -> Iterator[tuple[ir.Value, ir.Value]]:
    data_axis, weights_axis = (
        axis % len(static_shape(value) or [0])
        for axis, value in zip(operands.shared, (operands.data, operands.weights), strict=True)
    )
    for first, last in parts:
        yield add.slice(data, data_axis, first, last), add.slice(weights, weights_axis, first, last)


def _product(add: Builder, operands: IntMatmulOperands, data: ir.Value, weights: ir.Value) -> ir.Value:
    product = add.op("Conv" if operands.is_conv else "MatMul", data, weights)
    node = product.producer()
    assert node is not None
    node.attributes.update(operands.node.attributes)
    return product
