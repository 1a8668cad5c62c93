"""Accuracy check of a float16 graph on the samples, by the task's comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from webbuild.compare.by_output import group_by_output
from webbuild.compare.comparison import Comparison
from webbuild.compare.perturbation import perturb
from webbuild.equivalence.check import run_context
from webbuild.equivalence.compare_runs import Reference, RunInput, compare_runs
from webbuild.equivalence.exact_inputs import run_input
from webbuild.equivalence.policy import native_policy
from webbuild.manifest.detection_head_status import fallback_reason
from webbuild.manifest.manifest import Graph, Task
from webbuild.reporting.comparison_text import describe_difference, output_title
from webbuild.runners.native import NativeRunner
from webbuild.runners.stateful import StatefulRuns
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import kind_of

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import OptionInput, StateInput
    from webbuild.precision.fp16_backends import Fp16Backend
_VACUOUS = "the samples have nothing to compare"
_SEEDS = (0, 1, 2)
"""Seeds of perturbed samples, equal up to rounding, as the preprocessing on a GPU produces them.

If two boxes of an object have nearly equal scores, float16 rounding decides which one NMS keeps: a graph may be right
on a sample by luck, and wrong on the same picture in the browser.
"""


class _Batch(Struct, frozen=True):
    """Samples, or the steps of a sequence, that run together: unchanged, or perturbed by a seed."""

    indices: Sequence[int]
    seed: int | None = None


class AccuracyVerdict(Struct, frozen=True):
    """Result of a graph on the samples.

    `tolerance_used` is the largest error of each output as a fraction of its tolerance: 1 is at the limit. `mismatch`
    is empty if all results are equal. The check stops at the first sample that differs: `runs` is the number of runs.
    """

    mismatch: str
    tolerance_used: dict[str, float]
    runs: int

    @property
    def worst(self) -> float:
        """The largest fraction of a tolerance."""
        return max(self.tolerance_used.values(), default=math.inf)


class AccuracyChecker:
    """Compares the outputs of a float16 graph with the reference's, on all samples.

    The reference is the same graph in float32, already proven against the original.

    Args:
        graph: the manifest entry of the float32 graph.
        folder: the folder of the bundle.
        task: the task.
        options: the threshold inputs.
        values: the thresholds of the comparison, by option.
        samples: the samples; the steps of a sequence are in order.
        states: the states of the model.
        open_graph: opens the file of a graph.
        exact: inputs that are not perturbed.
    """

    def __init__(
        self,
        graph: Graph,
        folder: Path,
        task: Task,
        options: Sequence[OptionInput],
        values: Mapping[str, float],
        samples: Sequence[Sample],
        states: Sequence[StateInput] = (),
        open_graph: Callable[[Path], NativeRunner] = NativeRunner,
        exact: Collection[str] = (),
    ) -> None:
        self._graph, self._states = msgspec.structs.replace(graph, precision="mixed"), states
        threshold_feeds = {each.name: np.array([values[each.option]], np.float32) for each in options}
        runner = open_graph(folder / graph.file)
        runs = StatefulRuns(runner.run, states)
        inputs: list[RunInput] = []
        outputs: dict[str, Tensors] = {}
        for each in samples:
            feeds = {**each.feeds, **(runs.states if each.continues else {}), **threshold_feeds}
            fixed = {*exact, *threshold_feeds}
            inputs.append(run_input(each.name, feeds, fixed, run_context(each, values), continues=each.continues))
            outputs[each.name] = runs({**each.feeds, **threshold_feeds}, continues=each.continues)
        runner.close()
        groups = _sequences(inputs)
        kept = [group for group in groups if not any(fallback_reason(graph, outputs[each.name]) for each in group)]
        samples_in_order = [each for group in kept for each in group]
        self._reference = Reference(lambda each: self._without_status(outputs[each.name]), samples_in_order, task, None)
        ends = [0, *accumulate(len(group) for group in kept)]
        self._groups = [range(*each) for each in pairwise(ends)]
        self._first: Sequence[_Batch] = [_Batch(group) for group in self._groups[:1]]
        alone = [index for group in self._groups if len(group) == 1 for index in group]
        sequences = [_Batch(group) for group in self._groups if len(group) > 1]
        nearby = [_Batch(alone, seed) for seed in _SEEDS] if kind_of(task).noun else []
        self._batches = [_Batch(alone), *sequences, *nearby]

    @property
    def feeds(self) -> list[Tensors]:
        """The inputs of every run, including the reference's states."""
        return [{**each.feeds, **each.fixed} for each in self._reference.inputs]

    @property
    def answers(self) -> dict[str, Tensors]:
        """The reference's outputs, by sample."""
        reference = self._reference
        return {each.name: want.outputs for each, want in zip(reference.inputs, reference.answers, strict=True)}

    def check(self, model: ir.Model, backend: Fp16Backend) -> AccuracyVerdict:
        """Run a graph and compare it. A sample or sequence that differs runs first, and alone, in the next check.

        For tasks that find objects, each sample also runs with perturbed inputs.
        """
        used: dict[str, float] = {}
        compared, done = False, set[tuple[int, int | None]]()
        for batch in (*self._first, *self._batches):
            some = [index for index in batch.indices if (index, batch.seed) not in done]
            done |= {(index, batch.seed) for index in some}
            for index, outputs in zip(some, self._run(model, backend, some, batch.seed), strict=True):
                comparisons = self._compare(index, outputs)
                for group in group_by_output(comparisons).values():
                    title = output_title(group)
                    used[title] = max(used.get(title, 0.0), *(each.tolerance_used for each in group))
                if reason := self._why(index, batch.seed, comparisons, outputs):
                    self._first = [_Batch(next(group for group in self._groups if index in group), batch.seed)]
                    return AccuracyVerdict(reason, used, len(done))
                compared = compared or any(each.verdict == "OK" and each.signal for each in comparisons)
        return AccuracyVerdict("" if compared else _VACUOUS, used, len(done))

    def _run(self, model: ir.Model, backend: Fp16Backend, some: Sequence[int], seed: int | None) -> Sequence[Tensors]:
        if not some:
            return ()
        inputs = [self._reference.inputs[index] for index in some]
        states = self._states if any(each.continues for each in inputs) else ()
        feeds = [{**(each.feeds if seed is None else perturb(each.feeds, seed)), **each.fixed} for each in inputs]
        return backend.run(model, feeds, states)

    def _why(self, index: int, seed: int | None, comparisons: Sequence[Comparison], outputs: Tensors) -> str:
        name = self._reference.inputs[index].name + ("" if seed is None else ", its numbers changed by one millionth")
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


def _sequences(inputs: Sequence[RunInput]) -> list[list[RunInput]]:
    """Return a group for each single sample, and for the steps of each sequence."""
    groups: list[list[RunInput]] = []
    for each in inputs:
        if each.continues:
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups
