"""LayerNormalization in float16, on engines of 2026."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, dtype_name
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class Fp16LayerNormalization(Rule):
    """May throw: the shader of LayerNormalization in float16 does not compile in builds around 1.30.

    `[Invalid ShaderModule "LayerNorm"]`. It shows on devices with shader-f16 only.
    Fix: keep the node in float32.
    Source: onnxruntime #32627.
    """

    code = "fp16-layer-normalization"
    operators = ("LayerNormalization",)
    severity = "warning"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or dtype_name(node.inputs[0]) != "float16":
            return None
        return self.finding(
            node, "may throw", "its float16 shader does not compile in some builds", "cast to float around it"
        )
