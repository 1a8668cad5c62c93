"""ReduceLogSumExp of integers."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, dtype
from webbuild.inspection.rules._base import Rule


class IntegerLogSumExp(Rule):
    """The answer may be one off: ReduceLogSumExp of integers rounds where ONNX cuts.

    Mend: whole-log-sums counts how often the largest number is there, for int32.
    Source: measured on 1.30.0.
    """

    code = "integer-log-sum-exp"
    operators = ("ReduceLogSumExp",)
    outcome = "wrong"
    passes = ("whole-log-sums",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or dtype(node.inputs[0]) not in ("int32", "uint32"):
            return None
        return self.finding(node, "off by one", "it rounds where ONNX cuts", "cast to float before it")
