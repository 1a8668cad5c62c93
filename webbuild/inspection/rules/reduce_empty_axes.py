"""Reductions over no axes."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, constant_input, input_value
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class ReduceEmptyAxes(Rule):
    """The answer is wrong: over no axes at all, this reduction gives its input back as it is.

    ONNX still wants the logarithm of ReduceLogSum, and the square of ReduceSumSquare.
    Fix: Log, or Mul of the tensor with itself.
    Source: measured on 1.30.0.
    """

    code = "reduce-empty-axes"
    operators = ("ReduceLogSum", "ReduceSumSquare")
    outcome = "wrong"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        axes = constant_input(node, 1)
        none = input_value(node, 1) is None or (axes is not None and axes.size == 0)
        if not context.on_gpu(node) or not none or node.attributes.get_int("noop_with_empty_axes", 0) == 0:
            return None
        return self.finding(
            node, "wrong answer", f"{node.op_type} over no axes gives its input back", "write Log, or Mul, in its place"
        )
