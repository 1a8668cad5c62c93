"""Einsum of three and more on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class JsepEinsum(Rule):
    """The answer is wrong on the default entry's build: Einsum of three operands, or with a label that only one has.

    Mend: Transpose and MatMul; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-einsum"
    operators = ("Einsum",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        left, _, right = node.attributes.get_string("equation", "").replace(" ", "").partition("->")
        terms = left.split(",")
        alone = {
            label for label in set(left) - {","} if sum(label in term for term in terms) == 1 and label not in right
        }
        if not context.jsep or not context.on_gpu(node) or (len(terms) < 3 and not (len(terms) > 1 and alone)):
            return None
        return self.finding(
            node, "wrong answer", "three operands, or a sum over one of them", "write it with Transpose and MatMul"
        )
