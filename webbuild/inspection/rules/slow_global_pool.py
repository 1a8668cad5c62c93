"""Pooling of a whole picture into one number."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, shape
from webbuild.inspection.rules._base import Rule


class SlowGlobalPool(Rule):
    """Slow: one thread adds up the whole picture, channel by channel.

    64 channels of 160 by 160 take seconds on SwiftShader, against hundredths for ReduceMean, which shares the work.
    Mend: ReduceMean, or ReduceMax, over the spatial axes.
    Source: measured; onnxruntime #23614.
    """

    code = "slow-global-pool"
    operators = ("GlobalAveragePool", "GlobalMaxPool", "AveragePool", "MaxPool")
    severity = "warning"
    outcome = "gpu"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        sizes, kernel = shape(node.inputs[0]), node.attributes.get_ints("kernel_shape", [])
        area = math.prod(kernel) if kernel else math.prod(sizes[2:]) if sizes else 0
        if not context.on_gpu(node) or area < 1024:
            return None
        return self.finding(
            node, "slow", f"one thread reads {area} numbers for each output", "use ReduceMean or ReduceMax in its place"
        )
