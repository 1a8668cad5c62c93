"""Pooling with dilations on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class JsepPoolDilation(Rule):
    """The answer is wrong on the default entry's build: pooling ignores dilations.

    Mend: the greatest of strided Slices; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-pool-dilation"
    operators = ("MaxPool", "AveragePool")
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.jsep or not context.on_gpu(node) or max(node.attributes.get_ints("dilations", [1])) == 1:
            return None
        return self.finding(node, "wrong answer", "it ignores dilations", "use the webgpu entry")
