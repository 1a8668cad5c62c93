"""Scattering with a sum, in float16."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, dtype_name
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class Fp16Scatter(Rule):
    """The run throws: `Reduction is not supported for data type`, for Scatter with a reduction in float16.

    Fix: keep the node in float32.
    Source: the engine's kernels.
    """

    code = "fp16-scatter"
    operators = ("ScatterND", "ScatterElements")

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or dtype_name(node.inputs[0]) != "float16":
            return None
        if node.attributes.get_string("reduction", "none") == "none":
            return None
        return self.finding(node, "throws", "there is no sum of float16 in memory", "cast to float around it")
