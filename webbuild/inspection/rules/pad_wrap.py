"""Pad by wrapping around."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, numbers
from webbuild.inspection.rules._base import Rule


class PadWrap(Rule):
    """The answer is wrong: Pad that wraps around and cuts at the same time; on the default entry any that wraps.

    Mend: Concat of Slices.
    Source: measured on 1.30.0.
    """

    code = "pad-wrap"
    operators = ("Pad",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or node.attributes.get_string("mode", "constant") != "wrap":
            return None
        pads = numbers(node, 1)
        if not context.jsep and (pads is None or not (pads < 0).any() or not (pads > 0).any()):
            return None
        return self.finding(
            node,
            "wrong answer",
            "it wraps around" if context.jsep else "it wraps around one side, and cuts another",
            "join slices with Concat instead",
        )
