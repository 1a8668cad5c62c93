"""Products with a vector on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, rank
from webbuild.inspection.rules._base import Rule


class JsepMatMulVector(Rule):
    """The run throws on the default entry's build: `shared dimension does not match`, for a MatMul with a vector.

    Mend: Unsqueeze before it, Squeeze behind it; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-matmul-vector"
    operators = ("MatMul",)
    outcome = "throws"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.jsep or not context.on_gpu(node) or 1 not in (rank(node.inputs[0]), rank(node.inputs[1])):
            return None
        return self.finding(node, "throws", "one of its operands is a vector", "make it a matrix of one row")
