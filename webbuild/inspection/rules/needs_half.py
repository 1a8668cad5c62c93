"""What float16 needs of a device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, dtype
from webbuild.inspection.graph import label
from webbuild.inspection.inspection import Island, Memory
from webbuild.inspection.quantities import counted
from webbuild.inspection.rules._base import ModelRule


class NeedsHalf(ModelRule):
    """The run throws on devices without shader-f16, or gives zeros: the model computes in float16.

    `Program MatMul requires f16 but the device does not support it.` The default entry's build gives 0 for a Cast.
    Mend: ship a float32 model too, and choose by `adapter.features.has("shader-f16")`.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "needs-shader-f16"

    def check(self, context: Context, islands: Sequence[Island], memory: Memory) -> Iterator[Finding]:
        """See `ModelRule`."""
        halves = [each.node for each in context.nodes if context.on_gpu(each.node) and is_half(each.node)]
        if halves:
            yield Finding(
                code=self.code,
                severity="warning",
                outcome="throws",
                where="the model",
                what=f"{counted(len(halves), 'node')} in float16: throws on devices without shader-f16",
                why=f"the first is {label(halves[0])}",
                fix="ship a float32 model too, and choose by the adapter's features",
            )


def is_half(node: ir.Node) -> bool:
    """Whether a node reads or writes float16."""
    return any(dtype(value) == "float16" for value in (*node.inputs, *node.outputs))
