"""Softmax over several axes."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule
from webbuild.passes.flat_softmax import throws


class OlderSoftmax(Rule):
    """The run throws: before opset 13 a Softmax goes over several axes, whose last does not fit the kernel's vectors.

    Mend: flat-softmax makes one axis of them; or export at opset 13 or newer.
    Source: measured on 1.30.0.
    """

    code = "older-softmax"
    operators = ("Softmax",)
    passes = ("flat-softmax",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if context.jsep or not context.on_gpu(node) or not throws(node, context.since(node)):
            return None
        return self.finding(
            node, "throws", "it goes over several axes, the last of which is no multiple of 4", "make one axis of them"
        )
