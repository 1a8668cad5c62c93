"""Squares and sums that leave float16."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, dtype_name, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class Fp16Overflow(Rule):
    """The answer may be wrong: float16 ends at 65504, and this node squares, or sums a thousand numbers and more.

    A LayerNormalization written as ReduceMean, Sub, Pow, Sqrt is the known case: its variance becomes infinite.
    Fix: keep these nodes in float32, or use LayerNormalization (opset 17), which sums in float32.
    Source: onnxruntime #31626, #26732.
    """

    code = "fp16-overflow"
    operators = ("Pow", "ReduceMean", "ReduceSum", "ReduceSumSquare", "ReduceL2", "GlobalAveragePool", "MatMul")
    severity = "warning"
    outcome = "wrong"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        value, result = node.inputs[0], node.outputs[0]
        if not context.on_gpu(node) or dtype_name(value) != "float16":
            return None
        before, after = known_shape(value), known_shape(result)
        terms = (
            before[-1]
            if node.op_type == "MatMul" and before
            else math.prod(before) // max(1, math.prod(after))
            if before and after
            else 0
        )
        if node.op_type != "Pow" and terms < 1024:
            return None
        what = "it squares" if node.op_type == "Pow" else f"it sums {terms} numbers"
        return self.finding(node, "may overflow", f"{what} in float16", "keep this node in float32")
