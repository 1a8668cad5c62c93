"""Operators without a GPU kernel."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.costs import weight
from webbuild.inspection.kernels import STANDARD, has_gpu_kernel
from webbuild.inspection.mends import mends
from webbuild.inspection.rules._base import Rule
from webbuild.inspection.rules.data_dependent_length import DataDependentLength
from webbuild.inspection.rules.loop_on_cpu import LoopOnCpu


class NeverOnGpu(Rule):
    """The operator runs on the CPU: the build has no GPU kernel for it, in any version or type.

    What it reads is copied from the GPU, after everything queued there has ended, and what it writes is copied back.
    The copies cost more than the operator.
    Mend: write it with operators that have a kernel, or take it out of the model where it stands at its end.
    Source: measured; onnxruntime #18584, #22425.
    """

    code = "never-on-gpu"
    severity = "warning"
    outcome = "cpu"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        placing = context.placings[node]
        if placing.place != "cpu" or node.domain not in STANDARD or node.op_type in _TOLD_OF:
            return None
        if has_gpu_kernel(node, context.table):
            return None
        return self.finding(
            node,
            "runs on the CPU",
            f"{context.table.target.name} has no GPU kernel for {node.op_type}",
            "write it with operators that have one, or cut the graph before it",
            severity=weight(node),
            mended_by=mends().get(node.op_type, ""),
        )


_TOLD_OF = (*DataDependentLength.operators, *LoopOnCpu.operators)
"""Operators with a rule of their own."""
