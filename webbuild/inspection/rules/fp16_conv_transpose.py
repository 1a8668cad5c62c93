"""Wide transposed convolutions in float16."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, dtype_name, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class Fp16ConvTranspose(Rule):
    """The answer is wrong beyond position 2048: the kernel computes positions in float16, which ends at whole numbers.

    Fix: keep the node in float32.
    Source: onnxruntime #28976.
    """

    code = "fp16-conv-transpose"
    operators = ("ConvTranspose",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        sizes = known_shape(node.outputs[0])
        if not context.on_gpu(node) or dtype_name(node.inputs[0]) != "float16" or not sizes or max(sizes[2:]) <= 2048:
            return None
        return self.finding(node, "wrong answer", "positions above 2048 are no float16", "cast to float around it")
