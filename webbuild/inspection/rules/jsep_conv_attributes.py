"""Convolutions without all their attributes, or padded otherwise than two axes are, on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, rank
from webbuild.inspection.rules._base import Rule


class JsepConvAttributes(Rule):
    """The run throws on the default entry's build: `dilations should be 2D`, `pads should be 6D`.

    It wants every attribute written, even where ONNX has a default. PyTorch writes them. Along one axis or three it
    knows no `auto_pad`, and along three no padding that differs between the sides.
    Mend: write dilations, strides and pads, and pad by a node of its own where sides differ; or the
    `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-conv-attributes"
    operators = ("Conv", "FusedConv")
    outcome = "throws"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.jsep or not context.on_gpu(node):
            return None
        missing = [name for name in ("dilations", "strides") if name not in node.attributes]
        if missing:
            why = f"{' and '.join(missing)} not written, which this build does not take for 1"
            return self.finding(node, "throws", why, "write them, or use the webgpu entry")
        axes = (rank(node.inputs[0]) or 4) - 2
        if axes != 2 and node.attributes.get_string("auto_pad", "NOTSET").startswith("SAME"):
            return self.finding(node, "throws", f"auto_pad along {axes} axes", "write pads, or use the webgpu entry")
        pads = list(node.attributes.get_ints("pads", ()))
        if axes == 3 and pads[:axes] != pads[axes:]:
            return self.finding(node, "throws", f"pads {pads} differ between the sides", "pad by a node of its own")
        return None
