"""Dropout that was left in."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class LeftoverDropout(Rule):
    """Only the engine's optimiser keeps this from failing: no build since 1.25.1 has a kernel for Dropout.

    With graphOptimizationLevel `disabled` there is no session.
    Mend: clean-up takes it out; export after `model.eval()`.
    Source: measured on 1.25.1 to 1.31.0-dev.
    """

    code = "leftover-dropout"
    operators = ("Dropout",)
    severity = "warning"
    outcome = "no-session"
    passes = ("clean-up",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        return (
            None
            if context.placings[node].place == "folded"
            else self.finding(
                node, "no session without optimisation", "there is no kernel for Dropout", "export after model.eval()"
            )
        )
