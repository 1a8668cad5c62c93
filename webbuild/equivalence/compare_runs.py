"""Comparison of a candidate's runs with a reference's on the same inputs, by the task's metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace

import msgspec
from msgspec import Struct

from webbuild.compare.comparison import Comparison
from webbuild.compare.perturbation import perturb
from webbuild.compare.vacuity import mark_vacuous
from webbuild.equivalence.answer import Answer, with_nonempty_mode, with_others
from webbuild.equivalence.compare_answers import compare_answers
from webbuild.equivalence.noise_floor import NoiseFloor
from webbuild.equivalence.policy import Policy
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Task
from webbuild.runners.tensors import Tensors
from webbuild.tasks.run_context import RunContext

Perturbed = Callable[[Callable[[Tensors], Tensors]], AbstractContextManager[None]]
"""Context manager: the model runs with weights changed by a function, and computes long sums in another order."""


class RunInput(Struct, frozen=True):
    """An input of both runs: `feeds` may be perturbed for the noise floor; `fixed` (thresholds, labels, sizes) may not.

    A run that `continues` a sequence takes the states of the previous run.
    """

    name: str
    feeds: Tensors
    fixed: Tensors = {}
    context: RunContext = RunContext()
    continues: bool = False


class Reference:
    """The reference's answers for the inputs of a comparison, and its noise floor.

    Args:
        run: returns the outputs for an input, or a decoded answer. It runs again on perturbed inputs if a candidate
            differs.
        inputs: the inputs of the comparison.
        task: decodes the outputs.
        policy: compares the reference with its own perturbed runs; None for no noise floor, if `run` supports only
            these inputs.
        perturbed: context manager in which `run` uses perturbed weights and another order of long sums.
    """

    def __init__(
        self,
        run: Callable[[RunInput], Tensors | Answer],
        inputs: Sequence[RunInput],
        task: Task,
        policy: Policy | None,
        perturbed: Perturbed = lambda _: nullcontext(),
    ) -> None:
        self.inputs = inputs
        self._run, self._task = run, task
        self.answers = with_others(with_nonempty_mode([self._answer(run_input) for run_input in inputs]))
        self.noise = None
        if policy is not None:
            self.noise = NoiseFloor(lambda seed: self._rerun_perturbed(seed, policy), lambda: self._rerun(0, policy))
        self._perturbed = perturbed

    def part(self, chosen: Sequence[int]) -> Reference:
        """Return the reference of the inputs with these indices; it has no noise floor."""
        part = copy(self)
        part.inputs, part.answers = [self.inputs[at] for at in chosen], [self.answers[at] for at in chosen]
        part.noise = None
        return part

    def _answer(self, run_input: RunInput) -> Answer:
        outputs = self._run(run_input)
        return outputs if isinstance(outputs, Answer) else Answer(self._task, outputs, run_input.context)

    def _rerun_perturbed(self, seed: int, policy: Policy) -> list[Comparison]:
        with self._perturbed(lambda weights: perturb(weights, seed)):
            return self._rerun(seed, policy)

    def _rerun(self, seed: int, policy: Policy) -> list[Comparison]:
        comparisons: list[Comparison] = []
        for run_input, want in zip(self.inputs, self.answers, strict=True):
            perturbed = msgspec.structs.replace(run_input, feeds=perturb(run_input.feeds, seed))
            try:
                got = self._answer(perturbed)
            except WebbuildError as error:
                if error.code != "reference-run-failed":
                    raise
                continue  # a size that the graph computes changed: this run shows no noise
            got = replace(got, context=msgspec.structs.replace(got.context, mode=want.context.mode))
            comparisons += compare_answers("reference", run_input.name, want, got, policy)
        return comparisons


def compare_runs(
    reference: Reference,
    name: str,
    answers: Iterable[Answer | None],
    policy: Policy,
    fallback: Sequence[Comparison] = (),
) -> list[Comparison]:
    """Compare a candidate with the reference on every input, and decide the verdicts over all inputs.

    Args:
        reference: the expected answers.
        name: the name of the candidate.
        answers: the candidate's answers, in the order of the inputs; None for a run that falls back.
        policy: the tolerances.
        fallback: the comparisons of the fallback graph, used for runs that fall back.
    """
    comparisons: list[Comparison] = []
    fallback_comparisons: dict[str, list[Comparison]] = {}
    for each in fallback:
        fallback_comparisons.setdefault(each.subject.sample, []).append(_as_fallback(each, name))
    for run_input, want, got in zip(reference.inputs, reference.answers, answers, strict=True):
        if got is None:
            comparisons += fallback_comparisons[run_input.name]
        else:
            comparisons += compare_answers(name, run_input.name, want, got, policy)
    return final_verdicts(comparisons, reference.noise)


def final_verdicts(comparisons: Sequence[Comparison], noise: NoiseFloor | None = None) -> list[Comparison]:
    """Return the final verdicts over all inputs: `VACUOUS` without signal, `OK` for differences explained by noise."""
    marked = mark_vacuous(comparisons)
    return marked if noise is None else noise.accept(marked)


def _as_fallback(comparison: Comparison, name: str) -> Comparison:
    subject = msgspec.structs.replace(comparison.subject, runner=name)
    return msgspec.structs.replace(comparison, subject=subject, from_fallback=True)
