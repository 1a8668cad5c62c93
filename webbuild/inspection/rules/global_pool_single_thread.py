"""Pooling of a whole picture into one number."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class GlobalPoolSingleThread(Rule):
    """Slow: one thread adds up the whole picture, channel by channel.

    64 channels of 160 by 160 take seconds on SwiftShader, against hundredths for ReduceMean, which shares the work.
    Fix: ReduceMean, or ReduceMax, over the spatial axes.
    Source: measured; onnxruntime #23614.
    """

    code = "global-pool-single-thread"
    operators = ("GlobalAveragePool", "GlobalMaxPool", "AveragePool", "MaxPool")
    severity = "warning"
    outcome = "gpu"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        sizes, kernel = known_shape(node.inputs[0]), node.attributes.get_ints("kernel_shape", [])
        area = math.prod(kernel) if kernel else math.prod(sizes[2:]) if sizes else 0
        if not context.on_gpu(node) or area < 1024:
            return None
        return self.finding(
            node, "slow", f"one thread reads {area} numbers for each output", "use ReduceMean or ReduceMax in its place"
        )
