"""Reductions that throw on a tensor of size zero."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, is_empty, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class EmptyReduction(Rule):
    """The run throws: this reduction does not take a tensor with a size of zero.

    `Input tensor cannot be null or empty`. All other reductions do take it.
    Fix: fold-empty-tensors writes what it means, where the shapes are fixed.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "empty-reduction"
    operators = ("ReduceMax", "ReduceMin")
    passes = ("fold-empty-tensors",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or not is_empty(node.inputs[0]):
            return None
        return self.finding(
            node,
            "throws",
            f"{node.op_type} takes no tensor of shape {known_shape(node.inputs[0])}",
            "give it at least one row",
        )
