"""Parameters that the CPU reads, computed on the GPU."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given
from webbuild.inspection.cpu_inputs import read_on_cpu, written_on_cpu
from webbuild.inspection.rules._base import Rule


class ParameterFromGpu(Rule):
    """The CPU waits for the GPU in every run: the kernel reads this input on the CPU, and the GPU computes it.

    Shapes, axes, pads, bounds of Clip and the k of TopK are such inputs. The copy waits for all queued work.
    Mend: constants.
    Source: the engine's kernels; onnxruntime #27560.
    """

    code = "parameter-from-gpu"
    severity = "warning"
    outcome = "gpu"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node):
            return None
        for index in read_on_cpu(node):
            value = given(node, index)
            producer = None if value is None else value.producer()
            if value is None or producer is None or not context.on_gpu(producer) or written_on_cpu(producer):
                continue
            return self.finding(
                node,
                "waits for the GPU in every run",
                f"input {index}, '{value.name}', is computed on the GPU and read on the CPU",
                "make it a constant",
            )
        return None
