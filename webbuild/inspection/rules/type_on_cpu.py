"""Element types that only the CPU computes."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.costs import weight
from webbuild.inspection.kernels import STANDARD, gpu_types, gpu_versions, has_gpu_kernel
from webbuild.inspection.mends import mends
from webbuild.inspection.rules._base import Rule


class TypeOnCpu(Rule):
    """The node runs on the CPU: the operator has GPU kernels, but not for this element type.

    No build computes int64 on the GPU, and uint8, int8 and bool almost nowhere. Index and mask arithmetic of an export
    is of these types.
    Mend: int32 for int64 where the values fit, float for masks; leave int64 to shapes, axes and the graph's outputs.
    Source: measured; onnxruntime #29273.
    """

    code = "type-on-cpu"
    severity = "warning"
    outcome = "cpu"
    passes = ("int32-values",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        placing = context.placings[node]
        dtype = placing.kernel.dtype
        if placing.place != "cpu" or placing.pulled or node.domain not in STANDARD or not dtype:
            return None
        if gpu_versions(node, dtype, context.table) or not has_gpu_kernel(node, context.table):
            return None
        types = ", ".join(gpu_types(node, placing.kernel.since, context.table)[:6]) or "no type at this version"
        return self.finding(
            node,
            "runs on the CPU",
            f"{node.op_type} of {dtype} has no GPU kernel; the build has {types}",
            "use int32 or float for what is computed in this type",
            severity=weight(node),
            mended_by=_mend(node, dtype),
        )


def _mend(node: ir.Node, dtype: str) -> str:
    if dtype == "int64":
        return TypeOnCpu.passes[0]
    mend = mends().get(node.op_type, "")
    return "" if mend == "masks-as-numbers" and dtype not in ("bool", "uint8") else mend
