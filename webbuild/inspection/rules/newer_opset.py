"""Operators whose newest version has lost its GPU kernel."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.costs import weight
from webbuild.inspection.kernels import gpu_versions
from webbuild.inspection.rules._base import Rule


class NewerOpset(Rule):
    """The operator runs on the CPU: its version is newer than those that the build has GPU kernels for.

    The engine takes a kernel only for the very version of the schema that it was registered for. Where ONNX widens
    the types of an operator, as opset 22 did for MaxPool, the kernel stays behind without a word.
    Mend: export at opset 19, or 21 where there is no GridSample.
    Source: measured; onnxruntime #29682, #28955.
    """

    code = "newer-opset"
    severity = "warning"
    outcome = "cpu"
    passes = ("lower-opset",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        kernel = context.placings[node].kernel
        older = [since for since in gpu_versions(node, kernel.dtype, context.table) if since < kernel.since]
        if not context.on_cpu(node) or not older or context.placings[node].pulled:
            return None
        return self.finding(
            node,
            "runs on the CPU",
            f"{node.op_type} has GPU kernels up to version {older[-1]}; at this opset it is {kernel.since}",
            f"export the model at an opset below {kernel.since}",
            severity=weight(node),
        )
