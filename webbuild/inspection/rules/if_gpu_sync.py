"""A branch waits for its condition."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class IfGpuSync(Rule):
    """The GPU waits: the condition of an If is read on the CPU before its branch can begin.

    Fix: fix the sizes of the inputs; most conditions of exports are about sizes, and are folded then.
    Source: the engine's If kernel.
    """

    code = "if-gpu-sync"
    operators = ("If",)
    severity = "note"
    outcome = "gpu"
    passes = ("fold-constants",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or context.is_constant(node.inputs[0]):
            return None
        return self.finding(
            node, "waits for its condition", "the condition is computed in every run", "make the condition a constant"
        )
