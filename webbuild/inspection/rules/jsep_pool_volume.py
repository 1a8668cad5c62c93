"""Pooling of volumes on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, rank
from webbuild.inspection.rules._base import Rule


class JsepPoolVolume(Rule):
    """The run throws on the default entry's build: `kernelShape.length > 2 is not supported for NHWC`.

    Mend: pool the pictures, then the depth; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-pool-volume"
    operators = ("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool")
    outcome = "throws"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.jsep or not context.on_gpu(node) or rank(node.inputs[0]) != 5:
            return None
        return self.finding(
            node, "throws", "it pools pictures, no volumes", "pool in two steps, or use the webgpu entry"
        )
