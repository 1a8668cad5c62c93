"""Zero points on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, dtype, given
from webbuild.inspection.rules._base import Rule


class JsepZeroPoint(Rule):
    """The answer is wrong on the default entry's build: uint8 below its zero point becomes 4,294,967,000.

    An int32 with a zero point throws.
    Mend: store the weights as float; or the `onnxruntime-web/webgpu` entry, which is right.
    Source: measured on 1.30.0; transformers.js #1512.
    """

    code = "jsep-zero-point"
    operators = ("DequantizeLinear",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        kind = dtype(node.inputs[0])
        if not context.jsep or not context.on_gpu(node) or given(node, 2) is None or kind not in ("uint8", "int32"):
            return None
        return self.finding(node, "wrong answer", f"{kind} with a zero point", "store the weights as float")
