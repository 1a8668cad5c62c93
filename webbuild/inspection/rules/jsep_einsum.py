"""Einsum of three and more on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class JsepEinsum(Rule):
    """The answer is wrong on the default entry's build: Einsum of three operands, or over several labels.

    So is one over a label that only one of two operands has, and one that sums everything up.
    Mend: Transpose and MatMul; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-einsum"
    operators = ("Einsum",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.jsep or not context.on_gpu(node):
            return None
        left, arrow, right = node.attributes.get_string("equation", "").replace(" ", "").partition("->")
        once = "".join(label for label in left if left.count(label) == 1)  # what is left where no result is named
        why = _why(left.split(","), right if arrow else once)
        return None if why is None else self.finding(node, "wrong answer", why, "write it with Transpose and MatMul")


def _why(terms: list[str], right: str) -> str | None:
    summed = set("".join(terms)) - set(right) - {"."}
    alone = {label for label in summed if sum(label in term for term in terms) == 1}
    if len(terms) > 2:
        return "it has three operands"
    if "" in terms:
        return "an operand is a scalar"
    if len(terms) == 1:
        return "it sums everything up" if not right and len(summed) > 1 else None
    if alone:
        return f"it sums over {min(alone)}, which one operand has"
    return "it sums over more than one label" if len(summed) > 1 else None
