"""Products over nothing."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, is_empty, shape
from webbuild.inspection.rules._base import Rule


class EmptyContraction(Rule):
    """The run throws: the matrices are multiplied over an axis of size zero.

    The answer would be zeros. The kernel binds an empty buffer: `Failed to execute 'createBindGroup'`.
    Mend: empty-tensors writes what it means, where the shapes are fixed.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "empty-contraction"
    operators = ("MatMul", "Gemm", "Einsum")
    passes = ("empty-tensors",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if node.op_type == "Einsum":
            return self._einsum(node, context)
        sizes = shape(node.inputs[0])
        if not context.on_gpu(node) or not sizes or (node.op_type == "Gemm" and not context.jsep):
            return None
        turned = node.op_type == "Gemm" and node.attributes.get_int("transA", 0) != 0
        if sizes[0 if turned else -1] != 0 or is_empty(node.outputs[0]):
            return None
        return self.finding(node, "throws", "it multiplies over an axis of size zero", "put zeros in its place")

    def _einsum(self, node: ir.Node, context: Context) -> Finding | None:
        if context.jsep or not context.on_gpu(node) or not any(is_empty(value) for value in node.inputs):
            return None
        if is_empty(node.outputs[0]):
            return None
        return self.finding(node, "throws", "it sums over an axis of size zero", "put zeros in its place")
