"""Operators in a version from before the GPU kernels."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.kernels import gpu_schema_versions
from webbuild.inspection.op_cost import cpu_severity
from webbuild.inspection.rules.base import Rule


class OpsetTooOld(Rule):
    """The operator runs on the CPU: its version is older than those that the build has GPU kernels for.

    Clip before opset 11, Equal before 11 and Max before 8 are of this kind.
    Fix: export at a newer opset, 13 to 19, or convert the model with onnx.version_converter.
    Source: measured.
    """

    code = "opset-too-old"
    severity = "warning"
    outcome = "cpu"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        kernel = context.placements[node].kernel
        versions = gpu_schema_versions(node, kernel.dtype, context.table)
        newer = [since for since in versions if since > kernel.schema_version]
        if (
            not context.on_cpu(node)
            or len(newer) < len(versions)
            or not newer
            or context.placements[node].follows_shape
        ):
            return None
        return self.finding(
            node,
            "runs on the CPU",
            f"{node.op_type} has GPU kernels from version {newer[0]} on; at this opset it is {kernel.schema_version}",
            f"export the model at opset {newer[0]} or newer",
            severity=cpu_severity(node),
        )
