"""Interpolation with Gathers: the weighted sum of the neighbours of each point."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product

import numpy as np
import onnx_ir as ir

from webbuild.passes.decompose.base import RewriteContext

AxisNeighbors = list[tuple[ir.Value, ir.Value | None]]
"""The neighbours of every point along an axis: int32 index and weight; None is a weight of 1."""


def add_interpolated(
    add: RewriteContext,
    rows: ir.Value,
    axes: Sequence[AxisNeighbors],
    sizes: Sequence[int],
    begins: ir.Value | None,
    rank: int | None = None,
) -> ir.Value:
    """Add the sum over all corners of Gather(rows, index) * weight.

    Args:
        add: the builder.
        rows: the elements of a feature map, [N * sizes..., C], or [C, sizes...] if `rank` is None.
        axes: for each axis of the feature map, the neighbours of the points.
        sizes: the sizes of these axes.
        begins: the batch index of each point as int32; None for a batch of one.
        rank: the number of axes of the points if channels come last; None if channels come first.
    """
    total: ir.Value | None = None
    for corner in product(*axes):
        # row = ((n * D + z) * H + y) * W + x
        at = begins
        for (index, _), size in zip(corner, sizes, strict=True):
            at = index if at is None else add.op("Add", add.op("Mul", at, add.const(size, np.int32)), index)
        gathered = add.op("Gather", rows, at, axis=1 if rank is None else 0)
        weights = [weight for _, weight in corner if weight is not None]
        if weights:
            weight = reduce(lambda one, other: add.op("Mul", one, other), weights)
            gathered = add.op("Mul", gathered, weight if rank is None else add.unsqueeze(weight, rank))
        total = gathered if total is None else add.op("Add", total, gathered)
    assert total is not None
    return total


def clamp(add: RewriteContext, coordinate: ir.Value, size: int) -> ir.Value:
    """Add a coordinate clamped to 0..size - 1."""
    return add.op("Max", add.op("Min", coordinate, add.const(size - 1)), add.const(0.0))


def neighbour(
    add: RewriteContext, coordinate: ir.Value, size: int, weight: ir.Value | None
) -> tuple[ir.Value, ir.Value]:
    """Return an integer coordinate as int32, clamped to the axis, and its weight, 0 if it was outside."""
    clamped = clamp(add, coordinate, size)
    inside = add.op("Equal", clamped, coordinate)
    shown = add.op("Where", inside, add.const(1.0) if weight is None else weight, add.const(0.0))
    return add.cast(clamped, ir.DataType.INT32), shown


def linear_neighbours(add: RewriteContext, coordinate: ir.Value, size: int) -> AxisNeighbors:
    """Return the two integer coordinates around a coordinate, and their weights."""
    below = add.op("Floor", coordinate)
    share = add.op("Sub", coordinate, below)
    lower = neighbour(add, below, size, add.op("Sub", add.const(1.0), share))
    return [lower, neighbour(add, add.op("Add", below, add.const(1.0)), size, share)]
