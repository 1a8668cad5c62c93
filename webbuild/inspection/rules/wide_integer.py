"""Inputs and outputs that JavaScript holds as BigInt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webbuild.findings import Finding
from webbuild.inspection.context import Context, dtype
from webbuild.inspection.inspection import Island, Memory
from webbuild.inspection.rules._base import ModelRule


class WideInteger(ModelRule):
    """An input or output is int64: JavaScript gives it as BigInt64Array, and the GPU computes nothing of this type.

    Mend: int32, where the values fit.
    Source: the WebGPU shading language has no 64-bit integers.
    """

    code = "wide-integer"

    def check(self, context: Context, islands: Sequence[Island], memory: Memory) -> Iterator[Finding]:
        """See `ModelRule`."""
        for kind, values in (("input", context.model.graph.inputs), ("output", context.model.graph.outputs)):
            for value in values:
                if dtype(value) in ("int64", "uint64") and not value.is_initializer():
                    yield Finding(
                        code=self.code,
                        severity="note",
                        outcome=None,
                        where=f"{kind} '{value.name}'",
                        what=f"{dtype(value)}, a BigInt64Array in JavaScript",
                        why="no GPU kernel computes 64-bit integers",
                        fix="use int32 where the values fit",
                    )
