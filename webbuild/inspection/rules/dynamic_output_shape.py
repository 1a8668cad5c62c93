"""Outputs of a length that the data decide."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class DynamicOutputShape(Rule):
    """The length of the output depends on the data: it is computed on the CPU, and so is the arithmetic behind it.

    Every run may have other sizes: buffers are made anew, shaders are compiled anew, and nothing found gives tensors
    of size zero, on which several GPU kernels throw.
    Fix: fixed sizes. webbuild rewrites non-maximum suppression, a Compress by a constant, and what a mask chooses
    where it is computed row by row, reduced, or put back (dense-boolean-indexing); TopK with a constant k replaces a
    NonZero.
    Source: measured; onnxruntime #22425.
    """

    code = "dynamic-output-shape"
    operators = ("NonMaxSuppression", "NonZero", "Compress", "Unique")
    severity = "warning"
    outcome = "cpu"
    passes = (
        "static-nms", "static-rotated-nms", "static-generic-nms", "pad-nms-output", "dense-boolean-indexing",
        "decompose-data-movement",
    )  # fmt: skip

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_cpu(node):
            return None
        return self.finding(
            node,
            "as many rows as the data have",
            f"{node.op_type} runs on the CPU, and every run has other sizes",
            "take a fixed number of the best with TopK",
            mended_by="",  # a dry run of the passes says which of them removes it
        )
