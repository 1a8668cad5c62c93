"""Products over nothing."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, is_empty, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class MatMulKZero(Rule):
    """The run throws: the matrices are multiplied over an axis of size zero.

    The answer would be zeros. The kernel binds an empty buffer: `Failed to execute 'createBindGroup'`.
    Fix: fold-empty-tensors writes what it means, where the shapes are fixed.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "matmul-k-zero"
    operators = ("MatMul", "Einsum")
    passes = ("fold-empty-tensors",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if node.op_type == "Einsum":
            return self._einsum(node, context)
        sizes = known_shape(node.inputs[0])
        if not context.on_gpu(node) or not sizes:
            return None
        if sizes[-1] != 0 or is_empty(node.outputs[0]):
            return None
        return self.finding(node, "throws", "it multiplies over an axis of size zero", "put zeros in its place")

    def _einsum(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        if not context.on_gpu(node) or not any(is_empty(value) for value in node.inputs):
            return None
        if is_empty(node.outputs[0]):
            return None
        return self.finding(node, "throws", "it sums over an axis of size zero", "put zeros in its place")
