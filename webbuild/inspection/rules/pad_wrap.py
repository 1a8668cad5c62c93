"""Pad by wrapping around."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, constant_input
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class PadWrap(Rule):
    """The answer is wrong: Pad that wraps around and cuts at the same time.

    Pad([1 2 3 4], pads=[2, -1], mode=wrap) is [2 3 1 2 3], cut first, then wrapped; the GPU kernel answers otherwise.

    Fix: Concat of Slices.
    Source: measured on 1.30.0.
    """

    code = "pad-wrap"
    operators = ("Pad",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or node.attributes.get_string("mode", "constant") != "wrap":
            return None
        pads = constant_input(node, 1)
        if pads is None or not (pads < 0).any() or not (pads > 0).any():
            return None
        return self.finding(
            node,
            "wrong answer",
            "it wraps around one side, and cuts another",
            "join slices with Concat instead",
        )
