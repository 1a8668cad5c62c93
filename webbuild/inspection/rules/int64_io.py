"""Inputs and outputs that JavaScript holds as BigInt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webbuild.inspection.context import InspectionContext, dtype_name
from webbuild.inspection.finding import Finding
from webbuild.inspection.inspection import CpuPartition, MemoryEstimate
from webbuild.inspection.rules.base import ModelRule


class Int64IO(ModelRule):
    """An input or output is int64: JavaScript gives it as BigInt64Array, and the GPU computes nothing of this type.

    Fix: int32, where the values fit.
    Source: the WebGPU shading language has no 64-bit integers.
    """

    code = "int64-io"

    def check(
        self, context: InspectionContext, islands: Sequence[CpuPartition], memory: MemoryEstimate
    ) -> Iterator[Finding]:
        """See `ModelRule`."""
        for kind, values in (("input", context.model.graph.inputs), ("output", context.model.graph.outputs)):
            for value in values:
                if dtype_name(value) in ("int64", "uint64") and not value.is_initializer():
                    yield Finding(
                        code=self.code,
                        severity="note",
                        outcome=None,
                        where=f"{kind} '{value.name}'",
                        what=f"{dtype_name(value)}, a BigInt64Array in JavaScript",
                        why="no GPU kernel computes 64-bit integers",
                        fix="use int32 where the values fit",
                    )
