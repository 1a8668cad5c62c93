"""Models beyond 4 GiB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.inspection import CpuPartition, MemoryEstimate
from webbuild.inspection.rules.base import ModelRule
from webbuild.reporting.quantities import format_bytes


class OutOfMemory(ModelRule):
    """No session can be created, or the run throws: WebAssembly addresses 4 GiB, and weights pass through it.

    `std::bad_alloc`, `Array buffer allocation failed`, or a bare number. What runs on the CPU lives there too.
    Fix: smaller weights, external data, a smaller input.
    Source: onnxruntime #21968.
    """

    code = "out-of-memory"
    gpu_only = False

    def check(
        self, context: InspectionContext, islands: Sequence[CpuPartition], memory: MemoryEstimate
    ) -> Iterator[Finding]:
        """See `ModelRule`."""
        needed = memory.weights + memory.activations
        if needed > _ADDRESS_SPACE // 2:
            yield Finding(
                code=self.code,
                severity="error" if memory.weights > _ADDRESS_SPACE else "warning",
                outcome="no-session" if memory.weights > _ADDRESS_SPACE else "throws",
                where="the model",
                what=f"{format_bytes(memory.weights)} of weights, {format_bytes(memory.activations)} at work",
                why="WebAssembly addresses 4 GiB, and loading needs the weights twice",
                fix="make the weights or the input smaller",
            )


_ADDRESS_SPACE = 4 << 30
