"""Element types that only the CPU computes."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.fixes import fixes_by_operator
from webbuild.inspection.kernels import STANDARD_DOMAINS, gpu_dtypes, gpu_schema_versions, has_gpu_kernel
from webbuild.inspection.op_cost import cpu_severity
from webbuild.inspection.rules.base import Rule


class NoGpuKernelForDtype(Rule):
    """The node runs on the CPU: the operator has GPU kernels, but not for this element type.

    No build computes int64 on the GPU, and uint8, int8 and bool almost nowhere. Index and mask arithmetic of an export
    is of these types.
    Fix: int32 for int64 where the values fit, float for masks; leave int64 to shapes, axes and the graph's outputs.
    Source: measured; onnxruntime #29273.
    """

    code = "no-gpu-kernel-for-dtype"
    severity = "warning"
    outcome = "cpu"
    passes = ("narrow-int64",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        placing = context.placements[node]
        dtype = placing.kernel.dtype
        if placing.kind != "cpu" or placing.follows_shape or node.domain not in STANDARD_DOMAINS or not dtype:
            return None
        if gpu_schema_versions(node, dtype, context.table) or not has_gpu_kernel(node, context.table):
            return None
        types = (
            ", ".join(gpu_dtypes(node, placing.kernel.schema_version, context.table)[:6]) or "no type at this version"
        )
        return self.finding(
            node,
            "runs on the CPU",
            f"{node.op_type} of {dtype} has no GPU kernel; the build has {types}",
            "use int32 or float for what is computed in this type",
            severity=cpu_severity(node),
            mended_by=_fixing_pass(node, dtype),
        )


def _fixing_pass(node: ir.Node, dtype: str) -> str:
    if dtype == "int64":
        return NoGpuKernelForDtype.passes[0]
    mend = fixes_by_operator().get(node.op_type, "")
    return "" if mend == "bool-to-int" and dtype not in ("bool", "uint8") else mend
