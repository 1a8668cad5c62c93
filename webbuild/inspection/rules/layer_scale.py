"""LayerNormalization whose scale is spread."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, shape
from webbuild.inspection.rules._base import Rule


class LayerScale(Rule):
    """The run throws: the scale of a LayerNormalization has fewer numbers than it normalises, and would be spread.

    Mend: force-cpu; or a scale that is written out.
    Source: measured on 1.30.0.
    """

    code = "layer-scale"
    operators = ("LayerNormalization",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        sizes, scale = shape(node.inputs[0]), shape(given(node, 1))
        if not context.on_gpu(node) or not sizes or scale is None:
            return None
        normalised = math.prod(sizes[node.attributes.get_int("axis", -1) :])
        if math.prod(scale) == normalised:
            return None
        return self.finding(
            node, "throws", f"a scale of {math.prod(scale)} for {normalised} numbers", "write the scale out"
        )
