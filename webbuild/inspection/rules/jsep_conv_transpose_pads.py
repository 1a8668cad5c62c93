"""Transposed convolutions with uneven pads on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, rank
from webbuild.inspection.rules._base import Rule


class JsepConvTransposePads(Rule):
    """The answer is wrong on the default entry's build: uneven pads, SAME_LOWER and output_shape are misread.

    Mend: even pads and output_padding, or a Slice behind it; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0; onnxruntime #24744.
    """

    code = "jsep-conv-transpose-pads"
    operators = ("ConvTranspose",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        pads = node.attributes.get_ints("pads", [])
        uneven = list(pads[: len(pads) // 2]) != list(pads[len(pads) // 2 :])
        lower = node.attributes.get_string("auto_pad", "NOTSET") == "SAME_LOWER"
        if not context.jsep or not context.on_gpu(node) or rank(node.inputs[0]) == 5:
            return None
        if not (uneven or lower or "output_shape" in node.attributes):
            return None
        return self.finding(
            node, "wrong answer", "this build misreads its pads", "write even pads, or use the webgpu entry"
        )
