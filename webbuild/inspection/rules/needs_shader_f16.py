"""What float16 needs of a device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, dtype_name
from webbuild.inspection.finding import Finding
from webbuild.inspection.graph import node_label
from webbuild.inspection.inspection import CpuPartition, MemoryEstimate
from webbuild.inspection.rules.base import ModelRule
from webbuild.reporting.quantities import format_count


class NeedsShaderF16(ModelRule):
    """The run throws on devices without shader-f16, or gives zeros: the model computes in float16.

    `Program MatMul requires f16 but the device does not support it.`
    Fix: ship a float32 model too, and choose by `adapter.features.has("shader-f16")`.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "needs-shader-f16"

    def check(
        self, context: InspectionContext, islands: Sequence[CpuPartition], memory: MemoryEstimate
    ) -> Iterator[Finding]:
        """See `ModelRule`."""
        halves = [each.node for each in context.nodes if context.on_gpu(each.node) and uses_float16(each.node)]
        if halves:
            yield Finding(
                code=self.code,
                severity="warning",
                outcome="throws",
                where="the model",
                what=f"{format_count(len(halves), 'node')} in float16: throws on devices without shader-f16",
                why=f"the first is {node_label(halves[0])}",
                fix="ship a float32 model too, and choose by the adapter's features",
            )


def uses_float16(node: ir.Node) -> bool:
    """Whether a node reads or writes float16."""
    return any(dtype_name(value) == "float16" for value in (*node.inputs, *node.outputs))
