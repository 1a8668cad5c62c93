"""Convolutions without all their attributes, on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class JsepConvAttributes(Rule):
    """The run throws on the default entry's build: `dilations should be 2D`.

    It wants every attribute written, even where ONNX has a default. PyTorch writes them.
    Mend: write dilations, strides and pads; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-conv-attributes"
    operators = ("Conv",)
    outcome = "throws"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        missing = [name for name in ("dilations", "strides") if name not in node.attributes]
        if not context.jsep or not context.on_gpu(node) or not missing:
            return None
        return self.finding(
            node,
            "throws",
            f"{' and '.join(missing)} not written, which this build does not take for 1",
            "write them, or use the webgpu entry",
        )
