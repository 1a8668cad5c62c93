"""Softmax before opset 13 on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, rank
from webbuild.inspection.rules._base import Rule


class JsepSoftmax(Rule):
    """The answer is wrong on the default entry's build: Softmax before opset 13 goes over all axes from its own on.

    The kernel goes over one axis, as from opset 13 on.
    Mend: export at opset 13 or newer; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-softmax"
    operators = ("Softmax",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        axes = rank(node.inputs[0])
        last = axes is not None and node.attributes.get_int("axis", 1) in (axes - 1, -1)
        if not context.jsep or not context.on_gpu(node) or context.since(node) >= 13 or last:
            return None
        return self.finding(
            node, "wrong answer", "before opset 13 it goes over several axes", "export at opset 13 or newer"
        )
