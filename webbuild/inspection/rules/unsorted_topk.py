"""TopK in any order."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class UnsortedTopK(Rule):
    """The order differs from the CPU's: TopK with sorted=0 may give its elements in any order, and does.

    Fix: sorted=1 at export, wherever the order matters; as it is, cpu-fallback, which has the CPU's order.
    Source: measured on 1.25.1 to 1.31.0-dev.
    """

    code = "unsorted-topk"
    operators = ("TopK",)
    severity = "warning"
    outcome = "wrong"
    passes = ("cpu-fallback",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or node.attributes.get_int("sorted", 1) == 1:
            return None
        return self.finding(node, "another order", "sorted is 0, so every engine has its own order", "set sorted to 1")
