"""Element types for which a build has no kernel left."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class UnimplementedDtype(Rule):
    """No session can be created: the build has no kernel for this operator and type, on the GPU or on the CPU.

    The WebGPU builds since 1.25.1 carry no CPU kernels for float64, int16 and uint16, and none has bfloat16. No build
    for the web has the operators of `ai.onnx.ml`, of text, and of values that may be missing. One node is enough, even
    one that would be folded: `Provider type for ... node is not set`.
    Fix: float64-to-float32 retypes the graph; at export, keep numpy's float64 constants out of the model.
    Source: measured on 1.25.1 to 1.31.0-dev.
    """

    code = "unimplemented-dtype"
    outcome = "no-session"
    passes = ("float64-to-float32",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        placing = context.placements[node]
        if placing.kind != "none":
            return None
        dtype = placing.kernel.dtype or "this type"
        return self.finding(
            node,
            "no session can be created",
            f"no kernel of this build computes {node.op_type} in {dtype}, on the GPU or on the CPU",
            f"cast {dtype} to a type that the build computes: float for double, int32 for int16 and uint16",
        )
