"""Sums of exponentials that overflow."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, dtype
from webbuild.inspection.rules._base import Rule


class LargeLogSumExp(Rule):
    """The answer may be infinite: ReduceLogSumExp sums the exponentials of numbers as they are, and 89 is too large.

    The CPU takes the largest number out first.
    Mend: shifted-log-sums does the same.
    Source: measured on 1.30.0.
    """

    code = "large-log-sum-exp"
    operators = ("ReduceLogSumExp",)
    severity = "warning"
    outcome = "wrong"
    passes = ("shifted-log-sums",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or dtype(node.inputs[0]) not in ("float", "float16"):
            return None
        return self.finding(
            node, "infinite above 88", "it sums exponentials as they are", "subtract the maximum before it, and add it"
        )
