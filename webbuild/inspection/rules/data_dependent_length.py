"""Outputs of a length that the data decide."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class DataDependentLength(Rule):
    """The length of the output depends on the data: it is computed on the CPU, and so is the arithmetic behind it.

    Every run may have other sizes: buffers are made anew, shaders are compiled anew, and nothing found gives tensors
    of size zero, on which several GPU kernels throw.
    Mend: fixed sizes. webbuild rewrites non-maximum suppression, a Compress by a constant, and what a mask chooses
    where it is computed row by row, reduced, or put back (masked-rows); TopK with a constant k replaces a NonZero.
    Source: measured; onnxruntime #22425.
    """

    code = "data-dependent-length"
    operators = ("NonMaxSuppression", "NonZero", "Compress", "Unique")
    severity = "warning"
    outcome = "cpu"
    passes = ("fixed-shape-nms",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_cpu(node):
            return None
        mend = self.passes[0] if node.op_type == "NonMaxSuppression" else ""
        return self.finding(
            node,
            "as many rows as the data have",
            f"{node.op_type} runs on the CPU, and every run has other sizes",
            "take a fixed number of the best with TopK",
            mended_by=mend,
        )
