"""Groups of nodes on the CPU between nodes on the GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.graph import node_label
from webbuild.inspection.inspection import CpuPartition, MemoryEstimate
from webbuild.inspection.rules.base import ModelRule
from webbuild.reporting.quantities import format_bytes, format_count


class CpuPartitionCost(ModelRule):
    """The GPU waits while nodes on the CPU are computed, and tensors are copied over and back, in every run.

    A copy to the CPU waits for everything that is queued on the GPU: 7 ms for 64 kB is what profiles show, whatever
    the size. One operator without a kernel is enough to make an island.
    Fix: the findings about its nodes name it.
    Source: onnxruntime #27560, #18584.
    """

    code = "cpu-partition"

    def check(
        self, context: InspectionContext, islands: Sequence[CpuPartition], memory: MemoryEstimate
    ) -> Iterator[Finding]:
        """See `ModelRule`."""
        for number, island in enumerate(islands):
            if not island.transfers:
                continue
            yield Finding(
                code=self.code,
                severity="warning" if any(copy.destination == "cpu" for copy in island.transfers) else "note",
                outcome="cpu",
                where=f"island {number + 1}: {node_label(context.nodes[island.nodes[0]].node)}",
                what=f"{format_count(len(island.nodes), 'node')} on the CPU, "
                f"{format_count(len(island.transfers), 'copy')}, "
                f"{format_bytes(island.transfer_bytes)} a run",
                why=", ".join(f"{count} {op}" for op, count in list(island.operators.items())[:6]),
                fix="see the findings about its nodes: the one without a fix keeps them on the CPU",
            )
