"""Operators without a GPU kernel."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.fixes import fixes_by_operator
from webbuild.inspection.kernels import STANDARD_DOMAINS, has_gpu_kernel
from webbuild.inspection.op_cost import cpu_severity
from webbuild.inspection.rules.base import Rule
from webbuild.inspection.rules.dynamic_output_shape import DynamicOutputShape
from webbuild.inspection.rules.loop_on_cpu import LoopOnCpu


class NoGpuKernel(Rule):
    """The operator runs on the CPU: the build has no GPU kernel for it, in any version or type.

    What it reads is copied from the GPU, after everything queued there has ended, and what it writes is copied back.
    The copies cost more than the operator.
    Fix: write it with operators that have a kernel, or take it out of the model where it stands at its end.
    Source: measured; onnxruntime #18584, #22425.
    """

    code = "no-gpu-kernel"
    severity = "warning"
    outcome = "cpu"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        placing = context.placements[node]
        if placing.kind != "cpu" or node.domain not in STANDARD_DOMAINS or node.op_type in _REPORTED_ELSEWHERE:
            return None
        if has_gpu_kernel(node, context.table):
            return None
        return self.finding(
            node,
            "runs on the CPU",
            f"{context.table.target.name} has no GPU kernel for {node.op_type}",
            "write it with operators that have one, or cut the graph before it",
            severity=cpu_severity(node),
            mended_by=fixes_by_operator().get(node.op_type, ""),
        )


_REPORTED_ELSEWHERE = (*DynamicOutputShape.operators, *LoopOnCpu.operators)
"""Operators with a rule of their own."""
