"""LayerNormalization whose scale is spread."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, input_value, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class LayerNormScaleBroadcast(Rule):
    """The run throws: the scale of a LayerNormalization has fewer numbers than it normalises, and would be spread.

    Fix: cpu-fallback; or a scale that is written out.
    Source: measured on 1.30.0.
    """

    code = "layernorm-scale-broadcast"
    operators = ("LayerNormalization",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        sizes, scale = known_shape(node.inputs[0]), known_shape(input_value(node, 1))
        if not context.on_gpu(node) or not sizes or scale is None:
            return None
        normalised = math.prod(sizes[node.attributes.get_int("axis", -1) :])
        if math.prod(scale) == normalised:
            return None
        return self.finding(
            node, "throws", f"a scale of {math.prod(scale)} for {normalised} numbers", "write the scale out"
        )
