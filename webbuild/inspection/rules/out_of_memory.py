"""Models beyond 4 GiB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.inspection import Island, Memory
from webbuild.inspection.quantities import in_bytes
from webbuild.inspection.rules._base import ModelRule


class OutOfMemory(ModelRule):
    """No session can be created, or the run throws: WebAssembly addresses 4 GiB, and weights pass through it.

    `std::bad_alloc`, `Array buffer allocation failed`, or a bare number. What runs on the CPU lives there too.
    Mend: smaller weights, external data, a smaller input.
    Source: onnxruntime #21968.
    """

    code = "out-of-memory"
    gpu_alone = False

    def check(self, context: Context, islands: Sequence[Island], memory: Memory) -> Iterator[Finding]:
        """See `ModelRule`."""
        needed = memory.weights + memory.activations
        if needed > _ROOM // 2:
            yield Finding(
                code=self.code,
                severity="error" if memory.weights > _ROOM else "warning",
                outcome="no-session" if memory.weights > _ROOM else "throws",
                where="the model",
                what=f"{in_bytes(memory.weights)} of weights, {in_bytes(memory.activations)} at work",
                why="WebAssembly addresses 4 GiB, and loading needs the weights twice",
                fix="make the weights or the input smaller",
            )


_ROOM = 4 << 30
