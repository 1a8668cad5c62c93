"""Forms of Resize that no build takes."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class ResizeUnsupported(Rule):
    """No session can be created: this form of Resize is refused, on the CPU as well.

    Cubic works on two or four axes only, neither linear nor cubic resizes batch and channels too, and a linear Resize
    cannot leave out what lies outside.
    Fix: reshape to four axes, or resize axis by axis.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "resize-unsupported"
    operators = ("Resize",)
    outcome = "no-session"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        mode = node.attributes.get_string("mode", "nearest")
        before, after = known_shape(node.inputs[0]), known_shape(node.outputs[0])
        if before is None or after is None or mode == "nearest" or context.placements[node].kind == "none":
            return None
        changed = [a != b for a, b in zip(before, after, strict=False)]
        why = ""
        if mode == "cubic" and len(before) not in (2, 4):
            why = f"cubic takes two or four axes, not {len(before)}"
        elif mode == "linear" and node.attributes.get_int("exclude_outside", 0) != 0:
            why = "exclude_outside is for cubic only"
        elif len(before) == 4 and sum(changed) > 2:
            why = "it resizes the channels too"
        if not why:
            return None
        return self.finding(node, "no session can be created", why, "resize height and width only, on four axes")
