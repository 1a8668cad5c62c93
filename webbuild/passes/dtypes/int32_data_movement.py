from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions
from webbuild.passes.decomposition import Decomposer, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.dtypes.int32_lowering import sliced_indices
from webbuild.passes.rewrite import constant, static_shape

_HALF_WORD = 1 << 16
_MAX_PAIRS = 1 << 22
"""Comparisons that sorting by counting may take."""


class Int32DataMovement(Decomposition):
    """Writes Slice, GatherElements and TopK of int32 with operators that the GPU has for it.

        Slice(x int32 [N, C], 0:N:2)      ->  Gather(x, [0, 2, 4, ...])
        GatherElements(x int32, i)        ->  65536 * GatherElements(high, i) + GatherElements(low, i)    in float32
        TopK(x int32 [N], k)              ->  sum_i(Where(rank_i == (0 .. k - 1), x_i, 0)) [k]

    Why: these three have GPU kernels for floats alone. Behind a Cast of labels or positions each is a copy to the CPU
    and back.

    How: a Slice by constants is a Gather of the places kept. GatherElements goes by float32, upper and lower 16 bits
    apart. TopK counts for every number how many come before it, equal ones by their place, and puts it where that
    says; only where that takes no more than 4,194,304 comparisons. Exact.
    """

    code = "int32-data-movement"
    outputs = 2

    def decomposers(self) -> Mapping[str, Decomposer]:
        return {"Slice": _slice, "GatherElements": _gather, "TopK": _topk}

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether it moves int32, and has no kernel for that."""
        x = node.inputs[0]
        return x is not None and x.dtype == ir.DataType.INT32 and super().matches(model, node, options)


def _slice(add: RewriteContext, node: ir.Node) -> ir.Value:
    kept, value = sliced_indices(node), node.inputs[0]
    if kept is None:
        raise NotApplicableError("what it keeps is not known, or nothing")
    for places, axis in kept:
        value = add.op("Gather", value, add.const(places, np.int64), axis=axis)
    assert value is not None
    return value


def _gather(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, places, axis = node.inputs[0], node.inputs[1], node.attributes.get_int("axis", 0)
    base = add.const(_HALF_WORD, np.int32)
    # x = upper * 2^16 + lower: both halves are exact in float32
    upper = add.op("Div", x, base)
    lower = add.op("Sub", x, add.op("Mul", upper, base))
    halves = []
    for half in (upper, lower):
        floats = add.op("Cast", half, to=ir.DataType.FLOAT.value)
        taken = add.op("GatherElements", floats, places, axis=axis)
        halves.append(add.op("Cast", taken, to=ir.DataType.INT32.value))
    return add.op("Add", add.op("Mul", halves[0], base), halves[1])


def _topk(add: RewriteContext, node: ir.Node) -> list[ir.Value]:
    x, shape, count = node.inputs[0], static_shape(node.inputs[0]), constant(node.inputs[1])
    if x is None or shape is None or count is None:
        raise NotApplicableError("its shape or its number is not known")
    axis, k = node.attributes.get_int("axis", -1) % len(shape), int(count.reshape(()))
    size = shape[axis]
    if prod(shape) * max(size, 1) > _MAX_PAIRS or not prod(shape) or not k:
        raise NotApplicableError("it would take too many comparisons, or none")
    rank = _ranks_in_row(add, node, x, axis, size)
    # rank [..., N, 1] == (0 .. k - 1) [k]: chosen [..., N, k], one true in each column
    wanted = add.const(_broadcast_along(np.arange(k), axis + 1, len(shape) + 1), np.int32)
    chosen = add.op("Equal", add.unsqueeze(rank, axis + 1), wanted)
    none = add.const(0, np.int32)
    results = []
    for value in (x, add.const(_broadcast_along(np.arange(size), axis, len(shape)), np.int32)):
        laid = add.unsqueeze(value, axis + 1)
        results.append(add.reduce("ReduceSum", add.op("Where", chosen, laid, none), axis, keepdims=0))
    return [results[0], add.op("Cast", results[1], to=ir.DataType.INT64.value)]


def _ranks_in_row(add: RewriteContext, node: ir.Node, x: ir.Value, axis: int, size: int) -> ir.Value:
    """Return for each number how many of its row come before it."""
    # rank_i = number of j with x_j > x_i, or x_j = x_i and j < i: [..., N, 1] against [..., 1, N]
    mine, others = add.unsqueeze(x, axis + 1), add.unsqueeze(x, axis)
    larger = "Greater" if node.attributes.get_int("largest", 1) else "Less"
    before = add.op("Cast", add.op(larger, others, mine), to=ir.DataType.INT32.value)
    same = add.op("Cast", add.op("Equal", others, mine), to=ir.DataType.INT32.value)
    rank = len(x.shape or ())
    earlier = np.tril(np.ones((size, size)), -1).reshape([size, size] + [1] * (rank - axis - 1))
    total = add.op("Add", before, add.op("Mul", same, add.const(earlier, np.int32)))
    return add.reduce("ReduceSum", total, axis + 1, keepdims=0)


def _broadcast_along(numbers: np.ndarray, axis: int, rank: int) -> np.ndarray:
    """Return numbers as they broadcast along an axis."""
    return numbers.reshape([-1 if place == axis else 1 for place in range(rank)])
