"""Nodes that mix rows: an output row depends on other rows, as in a maximum, a sum or a sort."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import onnx_ir as ir

from webbuild.passes.analysis.normalized_axes import SOFTMAXES, normalized_axes
from webbuild.passes.rewrite import constant, consumers, reduction_axes

_REDUCTIONS = frozenset({
    "ArgMax", "ArgMin", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
    "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare",
})  # fmt: skip


def mixing_node(starts: Iterable[ir.Value], ends: Collection[ir.Node]) -> ir.Node | None:
    """Return a node that mixes rows between `starts`, values of data-dependent length, and the nodes `ends`.

        ReduceMax(boxes [n, 4]) []  mixes,  ReduceMax(boxes [n, 4], axes = [1]) [n, 1]  does not

    With more rows, such a node would return another result.
    """
    waiting = list(starts)
    seen = set(waiting)
    while waiting:
        value = waiting.pop()
        for node in consumers(value):
            if node in ends or node.op_type == "Shape":
                continue
            if _mixes(node, value):
                return node
            waiting += [output for output in node.outputs if output not in seen]
            seen.update(node.outputs)
    return None


def _mixes(node: ir.Node, value: ir.Value) -> bool:
    axis, rank = _row_axis(value), 0 if value.shape is None else len(value.shape)
    if node.op_type in _REDUCTIONS and node.inputs[0] is value:
        axes = _arg_axes(node) if node.op_type.startswith("Arg") else reduction_axes(node)
        return axis is None or axes is None or axis in [each % rank for each in axes]
    if node.op_type in (*SOFTMAXES, "LayerNormalization") and node.inputs[0] is value:
        return axis is None or axis in normalized_axes(node, rank)
    if node.op_type == "TopK" and node.inputs[0] is value:
        return axis is None or node.attributes.get_int("axis", -1) % rank == axis
    if node.op_type == "CumSum" and node.inputs[0] is value:
        array = constant(node.inputs[1])
        return axis is None or array is None or int(array.item()) % rank == axis
    if node.op_type in ("MatMul", "Gemm"):
        return node.inputs[0] is not value or axis != rank - 2 or node.attributes.get_int("transA", 0) == 1
    return node.op_type == "Einsum"


def _arg_axes(node: ir.Node) -> list[int]:
    return [node.attributes.get_int("axis", 0)]


def _row_axis(value: ir.Value) -> int | None:
    """Return the axis of data-dependent length, None unless exactly one size is unknown."""
    free = [axis for axis, size in enumerate(value.shape or ()) if not isinstance(size, int)]
    return free[0] if len(free) == 1 else None
