"""Pooling with ceil_mode on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class JsepPoolCeil(Rule):
    """The run throws on the default entry's build: `ceil_mode kernel execution is not yet implemented`.

    Mend: explicit pads at the end; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-pool-ceil"
    operators = ("MaxPool", "AveragePool")
    outcome = "throws"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.jsep or not context.on_gpu(node) or node.attributes.get_int("ceil_mode", 0) == 0:
            return None
        return self.finding(
            node, "throws", "ceil_mode is not implemented", "write the pads at the end, or use the webgpu entry"
        )
