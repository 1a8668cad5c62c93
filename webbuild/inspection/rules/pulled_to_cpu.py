"""Nodes that follow a shape to the CPU."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class PulledToCpu(Rule):
    """The node runs on the CPU although it has a GPU kernel: all that it reads lies on the CPU already.

    The engine leaves arithmetic on sizes where the sizes are, to save copies. It is a cost only if what comes of it
    is large.
    Mend: give the sizes with --dim, so that they are constants.
    Source: the engine's GetCpuPreferredNodes.
    """

    code = "pulled-to-cpu"
    severity = "note"
    outcome = "cpu"
    passes = ("freeze-dimensions",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.placings[node].pulled:
            return None
        return self.finding(
            node,
            "runs on the CPU",
            "it reads only sizes, small constants and inputs, which are there already",
            "fix the sizes of the inputs",
        )
