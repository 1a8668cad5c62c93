"""Inputs and outputs without a fixed size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webbuild.inspection.context import InspectionContext, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.inspection import CpuPartition, MemoryEstimate
from webbuild.inspection.rules.base import ModelRule


class DynamicDimension(ModelRule):
    """A size is not known before the run: each new size compiles new shaders and takes new buffers.

    Arithmetic on sizes stays in the graph then, in int64 on the CPU. A free size of an output is one that the data
    decide.
    Fix: give the size with --dim NAME=N.
    Source: onnxruntime #25882.
    """

    code = "dynamic-dimension"

    def check(
        self, context: InspectionContext, islands: Sequence[CpuPartition], memory: MemoryEstimate
    ) -> Iterator[Finding]:
        """See `ModelRule`."""
        for kind, values in (("input", context.model.graph.inputs), ("output", context.model.graph.outputs)):
            for value in values:
                if value.shape is None or known_shape(value) is None:
                    yield Finding(
                        code=self.code,
                        severity="note",
                        outcome=None,
                        where=f"{kind} '{value.name}'",
                        what="a size that is not fixed" if value.shape is not None else "of an unknown shape",
                        why="each new size costs a compilation",
                        fix="give it with --dim NAME=N" if kind == "input" else "take a fixed number of rows",
                    )
