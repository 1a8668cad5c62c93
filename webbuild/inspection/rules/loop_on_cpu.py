"""Loops run on the CPU, their bodies copy in every round."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class LoopOnCpu(Rule):
    """The loop runs on the CPU. What its body computes on the GPU is copied in every round.

    Fix: unroll it at export where the number of rounds is known.
    Source: measured on 1.30.0.
    """

    code = "loop-on-cpu"
    operators = ("Loop", "Scan")
    severity = "warning"
    outcome = "cpu"
    passes = ("unroll-loops",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_cpu(node):
            return None
        inside = sum(each.parent is node and context.on_gpu(each.node) for each in context.nodes)
        return self.finding(
            node,
            "runs on the CPU, round by round",
            f"{inside} nodes of its body are on the GPU, with copies in every round"
            if inside
            else "there is no GPU kernel for loops",
            "unroll the loop at export",
        )
