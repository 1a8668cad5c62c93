"""Nodes that follow a shape to the CPU."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class ShapeSubgraphOnCpu(Rule):
    """The node runs on the CPU although it has a GPU kernel: all that it reads lies on the CPU already.

    The engine leaves arithmetic on sizes where the sizes are, to save copies. It is a cost only if what comes of it
    is large.
    Fix: give the sizes with --dim, so that they are constants.
    Source: the engine's GetCpuPreferredNodes.
    """

    code = "shape-subgraph-on-cpu"
    severity = "note"
    outcome = "cpu"
    passes = ("fix-dynamic-dims",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.placements[node].follows_shape:
            return None
        return self.finding(
            node,
            "runs on the CPU",
            "it reads only sizes, small constants and inputs, which are there already",
            "fix the sizes of the inputs",
        )
