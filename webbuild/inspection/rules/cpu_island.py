"""Groups of nodes on the CPU between nodes on the GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.graph import label
from webbuild.inspection.inspection import Island, Memory
from webbuild.inspection.quantities import counted, in_bytes
from webbuild.inspection.rules._base import ModelRule


class CpuIsland(ModelRule):
    """The GPU waits while nodes on the CPU are computed, and tensors are copied over and back, in every run.

    A copy to the CPU waits for everything that is queued on the GPU: 7 ms for 64 kB is what profiles show, whatever
    the size. One operator without a kernel is enough to make an island.
    Mend: the findings about its nodes name it.
    Source: onnxruntime #27560, #18584.
    """

    code = "cpu-island"

    def check(self, context: Context, islands: Sequence[Island], memory: Memory) -> Iterator[Finding]:
        """See `ModelRule`."""
        for number, island in enumerate(islands):
            if not island.copies:
                continue
            yield Finding(
                code=self.code,
                severity="warning" if any(copy.to == "cpu" for copy in island.copies) else "note",
                outcome="cpu",
                where=f"island {number + 1}: {label(context.nodes[island.nodes[0]].node)}",
                what=f"{counted(len(island.nodes), 'node')} on the CPU, {counted(len(island.copies), 'copy')}, "
                f"{in_bytes(island.bytes)} a run",
                why=", ".join(f"{count} {op}" for op, count in list(island.operators.items())[:6]),
                fix="see what is found about its nodes",
            )
