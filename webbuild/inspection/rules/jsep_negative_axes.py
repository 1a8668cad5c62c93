"""Axes that are counted from the end, on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, numbers
from webbuild.inspection.rules._base import Rule


class JsepNegativeAxes(Rule):
    """The answer is wrong on the default entry's build: Pad and Resize do not know axes below zero.

    They leave such an axis as it is.
    Mend: count axes from the beginning; or the `onnxruntime-web/webgpu` entry, which is right.
    Source: measured on 1.30.0.
    """

    code = "jsep-negative-axes"
    operators = ("Pad", "Resize")
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        given = numbers(node, 3) if node.op_type == "Pad" else None
        axes = node.attributes.get_ints("axes", []) if given is None else given.tolist()
        if not context.jsep or not context.on_gpu(node) or all(axis >= 0 for axis in axes):
            return None
        return self.finding(node, "wrong answer", "it counts axes from the end", "count axes from the beginning")
