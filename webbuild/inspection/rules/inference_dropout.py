"""Dropout that was left in."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class InferenceDropout(Rule):
    """Only the engine's optimiser keeps this from failing: no build since 1.25.1 has a kernel for Dropout.

    With graphOptimizationLevel `disabled` there is no session.
    Fix: clean-up takes it out; export after `model.eval()`.
    Source: measured on 1.25.1 to 1.31.0-dev.
    """

    code = "inference-dropout"
    operators = ("Dropout",)
    severity = "warning"
    outcome = "no-session"
    passes = ("canonicalize",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        return (
            None
            if context.placements[node].kind == "folded"
            else self.finding(
                node, "no session without optimisation", "there is no kernel for Dropout", "export after model.eval()"
            )
        )
