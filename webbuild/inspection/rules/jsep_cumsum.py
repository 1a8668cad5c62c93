"""Running sums from the end on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class JsepCumSum(Rule):
    """The answer is wrong on the default entry's build: CumSum with reverse=1.

    Mend: the total minus the running sum; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-cumsum-reverse"
    operators = ("CumSum",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.jsep or not context.on_gpu(node) or node.attributes.get_int("reverse", 0) == 0:
            return None
        return self.finding(node, "wrong answer", "reverse is 1", "use the webgpu entry")
