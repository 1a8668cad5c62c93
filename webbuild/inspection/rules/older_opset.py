"""Operators in a version from before the GPU kernels."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.costs import weight
from webbuild.inspection.kernels import gpu_versions
from webbuild.inspection.rules._base import Rule


class OlderOpset(Rule):
    """The operator runs on the CPU: its version is older than those that the build has GPU kernels for.

    Clip before opset 11, Equal before 11 and Max before 8 are of this kind.
    Mend: export at a newer opset, 13 to 19, or convert the model with onnx.version_converter.
    Source: measured.
    """

    code = "older-opset"
    severity = "warning"
    outcome = "cpu"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        kernel = context.placings[node].kernel
        versions = gpu_versions(node, kernel.dtype, context.table)
        newer = [since for since in versions if since > kernel.since]
        if not context.on_cpu(node) or len(newer) < len(versions) or not newer or context.placings[node].pulled:
            return None
        return self.finding(
            node,
            "runs on the CPU",
            f"{node.op_type} has GPU kernels from version {newer[0]} on; at this opset it is {kernel.since}",
            f"export the model at opset {newer[0]} or newer",
            severity=weight(node),
        )
