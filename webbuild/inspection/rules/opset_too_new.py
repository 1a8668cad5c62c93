"""Operators whose newest version has lost its GPU kernel."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.kernels import gpu_schema_versions
from webbuild.inspection.op_cost import cpu_severity
from webbuild.inspection.rules.base import Rule


class OpsetTooNew(Rule):
    """The operator runs on the CPU: its version is newer than those that the build has GPU kernels for.

    The engine takes a kernel only for the very version of the schema that it was registered for. Where ONNX widens
    the types of an operator, as opset 22 did for MaxPool, the kernel stays behind without a word.
    Fix: export at opset 19, or 21 where there is no GridSample.
    Source: measured; onnxruntime #29682, #28955.
    """

    code = "opset-too-new"
    severity = "warning"
    outcome = "cpu"
    passes = ("downgrade-opset",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        kernel = context.placements[node].kernel
        older = [
            since for since in gpu_schema_versions(node, kernel.dtype, context.table) if since < kernel.schema_version
        ]
        if not context.on_cpu(node) or not older or context.placements[node].follows_shape:
            return None
        return self.finding(
            node,
            "runs on the CPU",
            f"{node.op_type} has GPU kernels up to version {older[-1]}; at this opset it is {kernel.schema_version}",
            f"export the model at an opset below {kernel.schema_version}",
            severity=cpu_severity(node),
        )
