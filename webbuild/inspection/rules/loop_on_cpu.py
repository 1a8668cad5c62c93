"""Loops run on the CPU, their bodies copy in every round."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class LoopOnCpu(Rule):
    """The loop runs on the CPU. What its body computes on the GPU is copied in every round.

    Mend: unroll it at export where the number of rounds is known.
    Source: measured on 1.30.0.
    """

    code = "loop-on-cpu"
    operators = ("Loop", "Scan")
    severity = "warning"
    outcome = "cpu"
    passes = ("unrolled-loops",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
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
