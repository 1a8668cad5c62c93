"""int64 values of which only the lower 32 bits matter, so that int32 may overflow."""

from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

from webbuild.passes.dtypes.int32_lowering import data_inputs

WRAPPING_OPS = {
    "Add", "Concat", "CumSum", "Expand", "Flatten", "Gather", "GatherND", "Identity", "Mul", "Neg", "Pad", "Reshape",
    "ScatterElements", "ScatterND", "Slice", "Split", "Squeeze", "Sub", "Tile", "Transpose", "Trilu", "Unsqueeze",
    "Where",
}  # fmt: skip
"""Operators for which the lower 32 bits of the result depend only on the lower 32 bits of the data. A ReduceSum is not
among them: the kernel sums int32 in float32."""


def wrapping_values(
    graph: ir.Graph, fits: Callable[[ir.Value], bool], known: Callable[[ir.Node], bool]
) -> set[ir.Value]:
    """Return the node outputs that fit into 32 bits, or that only lead to values that do.

    Gather(table [9, C], CumSum(mask) * mask)  the product is an index between -9 and 8, so the sum may overflow

    Args:
        graph: the graph.
        fits: whether every number of a value fits.
        known: whether a node can be computed in int32.
    """
    wrapping = set[ir.Value]()
    for node in reversed(list(graph)):
        for value in node.outputs:
            inner = value.dtype == ir.DataType.INT64 and not value.is_graph_output()
            if fits(value) or (inner and all(_wraps(use.node, use.idx, wrapping, known) for use in value.uses())):
                wrapping.add(value)
    return wrapping


def _wraps(node: ir.Node, index: int, wrapping: set[ir.Value], known: Callable[[ir.Node], bool]) -> bool:
    if node.op_type not in WRAPPING_OPS or index not in data_inputs(node):
        return False
    return known(node) and wrapping.issuperset(node.outputs)
