"""Fused operators without a GPU kernel."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.kernels import MICROSOFT_DOMAIN
from webbuild.inspection.rules.base import Rule


class ContribOpOnCpu(Rule):
    """A fused operator of com.microsoft runs on the CPU, or in no build: most have no GPU kernel.

    Attention has one only without masks and without a past.
    Fix: export without fusion; the engine fuses for itself what it can run.
    Source: the engine's list of kernels.
    """

    code = "contrib-op-on-cpu"
    severity = "warning"
    outcome = "cpu"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if node.domain != MICROSOFT_DOMAIN or not context.on_cpu(node):
            return None
        masked = node.op_type == "Attention"
        return self.finding(
            node,
            "runs on the CPU",
            "its GPU kernel takes no mask and no past" if masked else f"there is no GPU kernel for {node.op_type}",
            "export the model without these fusions",
        )
