"""Accuracy check of a float16 graph on the samples, by the task's own comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compare.by_output import group_by_output
from webbuild.compare.comparison import Comparison
from webbuild.equivalence.check import run_context
from webbuild.equivalence.compare_runs import Reference, RunInput, compare_runs
from webbuild.equivalence.policy import native_policy
from webbuild.manifest.detection_head_status import fallback_reason
from webbuild.manifest.manifest import Graph, Task
from webbuild.reporting.comparison_text import describe_difference, output_title
from webbuild.runners.native import NativeRunner
from webbuild.samples.sample import Sample

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import OptionInput
    from webbuild.precision.fp16_backends import Fp16Backend

Tensors = Mapping[str, NDArray[Any]]
_VACUOUS = "the samples have nothing to compare"


class AccuracyVerdict(Struct, frozen=True):
    """The result of a graph on the samples.

    `tolerance_used` is the largest error of each output as a fraction of its tolerance: 1 is at the limit. `mismatch`
    is empty where every answer is the same. What comes after the first sample that differs was not run.
    """

    mismatch: str
    tolerance_used: dict[str, float]

    @property
    def worst(self) -> float:
        """The largest part of a tolerance."""
        return max(self.tolerance_used.values(), default=math.inf)


class AccuracyChecker:
    """The reference's answers, and what compares others with them.

    The reference is the same graph in float32, which was proven against the original.

    Args:
        graph: what the float32 graph says of itself, in `folder`.
        folder: the bundle's.
        task: what it is for.
        options: its thresholds, which are inputs.
        values: those to compare at, by option.
        samples: what is run.
    """

    def __init__(
        self,
        graph: Graph,
        folder: Path,
        task: Task,
        options: Sequence[OptionInput],
        values: Mapping[str, float],
        samples: Sequence[Sample],
    ) -> None:
        self._graph = msgspec.structs.replace(graph, precision="mixed")
        given = {each.name: np.array([values[each.option]], np.float32) for each in options}
        inputs = [RunInput(each.name, each.feeds, given, run_context(each, values)) for each in samples]
        runner = NativeRunner(folder / graph.file)
        outputs = {each.name: runner.run({**each.feeds, **given}) for each in inputs}
        runner.close()
        own = [each for each in inputs if not fallback_reason(graph, outputs[each.name])]
        self._reference = Reference(lambda each: self._without_status(outputs[each.name]), own, task, None)

    @property
    def feeds(self) -> list[Tensors]:
        """The inputs of every run."""
        return [{**each.feeds, **each.fixed} for each in self._reference.inputs]

    def check(self, model: ir.Model, arithmetic: Fp16Backend) -> AccuracyVerdict:
        """Run a graph and compare. A sample that differs is the first to be run the next time, and alone."""
        used: dict[str, float] = {}
        compared = False
        count = len(self._reference.inputs)
        for some in (range(count)[:1], range(count)[1:]):
            found = arithmetic.run(model, [self.feeds[index] for index in some]) if some else []
            for index, outputs in zip(some, found, strict=True):
                comparisons = self._compare(index, outputs)
                for group in group_by_output(comparisons).values():
                    title = output_title(group)
                    used[title] = max(used.get(title, 0.0), *(each.tolerance_used for each in group))
                if reason := self._why(index, comparisons, outputs):
                    self._reference = self._reference.part(
                        [index, *(other for other in range(count) if other != index)]
                    )
                    return AccuracyVerdict(reason, used)
                compared = compared or any(each.verdict == "OK" and each.signal for each in comparisons)
        return AccuracyVerdict("" if compared else _VACUOUS, used)

    def _why(self, index: int, comparisons: Sequence[Comparison], outputs: Tensors) -> str:
        name = self._reference.inputs[index].name
        for group in group_by_output(comparisons).values():
            if difference := describe_difference(group):
                return f"{output_title(group)} on {name}: {difference}"
        reason = fallback_reason(self._graph, outputs)
        return reason and f"{name}: {reason}"

    def _compare(self, index: int, outputs: Tensors) -> list[Comparison]:
        one = self._reference.part([index])
        got = replace(one.answers[0], outputs=self._without_status(outputs))
        return compare_runs(one, self._graph.name, [got], native_policy(self._graph))

    def _without_status(self, outputs: Tensors) -> Tensors:
        status = self._graph.head_status
        return {name: array for name, array in outputs.items() if status is None or name != status.output}
