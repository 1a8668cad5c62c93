"""Parameters that the CPU reads, computed on the GPU."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, input_value
from webbuild.inspection.cpu_inputs import cpu_input_indices, has_cpu_output
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class GpuReadbackParameter(Rule):
    """The CPU waits for the GPU in every run: the kernel reads this input on the CPU, and the GPU computes it.

    Shapes, axes, pads, bounds of Clip and the k of TopK are such inputs. The copy waits for all queued work.
    Fix: constants.
    Source: the engine's kernels; onnxruntime #27560.
    """

    code = "gpu-readback-parameter"
    severity = "warning"
    outcome = "gpu"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node):
            return None
        for index in cpu_input_indices(node):
            value = input_value(node, index)
            producer = None if value is None else value.producer()
            if value is None or producer is None or not context.on_gpu(producer) or has_cpu_output(producer):
                continue
            return self.finding(
                node,
                "waits for the GPU in every run",
                f"input {index}, '{value.name}', is computed on the GPU and read on the CPU",
                "make it a constant",
            )
        return None
