"""The comparison of two runs: a candidate against a reference, on the same inputs, in the terms of their task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace
from typing import Any

import msgspec
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compare.comparison import Comparison
from webbuild.compare.perturbation import perturb
from webbuild.compare.vacuity import mark_vacuous
from webbuild.equivalence.answer import Answer, with_nonempty_mode, with_others
from webbuild.equivalence.compare_answers import compare_answers
from webbuild.equivalence.noise_floor import NoiseFloor
from webbuild.equivalence.policy import Policy
from webbuild.manifest.manifest import Task
from webbuild.tasks.run_context import RunContext

Tensors = Mapping[str, NDArray[Any]]
Perturbed = Callable[[Callable[[Tensors], Tensors]], AbstractContextManager[None]]
"""Runs a block with the weights that a function makes of a model's own, and long sums in another order."""


class RunInput(Struct, frozen=True):
    """An input of both runs: `feeds` is what may be perturbed, `fixed` what may not: thresholds, labels, sizes.

    A run that `continues` a sequence takes the states of the run before.
    """

    name: str
    feeds: Tensors
    fixed: Tensors = {}
    context: RunContext = RunContext()
    continues: bool = False


class Reference:
    """The reference's answers to the inputs of a comparison, and its noise floor.

    Args:
        run: computes the outputs for an input, or the answer where these say too little. It is asked again, on
            perturbed inputs, where a candidate differs.
        inputs: of the comparison.
        task: what they are decoded as.
        policy: how the reference's answers are compared with each other; None where its outputs are known to these
            inputs alone, so that there is no noise floor.
        perturbed: lets `run` compute with other weights, and long sums in another order.
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
        self.answers = with_others(with_nonempty_mode([self._answer(given) for given in inputs]))
        self.noise = None
        if policy is not None:
            self.noise = NoiseFloor(lambda seed: self._rerun_perturbed(seed, policy), lambda: self._rerun(0, policy))
        self._perturbed = perturbed

    def part(self, chosen: Sequence[int]) -> Reference:
        """Return the reference of some of the inputs, in that order; it has no noise floor."""
        part = copy(self)
        part.inputs, part.answers = [self.inputs[at] for at in chosen], [self.answers[at] for at in chosen]
        part.noise = None
        return part

    def _answer(self, given: RunInput) -> Answer:
        made = self._run(given)
        return made if isinstance(made, Answer) else Answer(self._task, made, given.context)

    def _rerun_perturbed(self, seed: int, policy: Policy) -> list[Comparison]:
        with self._perturbed(lambda weights: perturb(weights, seed)):
            return self._rerun(seed, policy)

    def _rerun(self, seed: int, policy: Policy) -> list[Comparison]:
        found: list[Comparison] = []
        for given, want in zip(self.inputs, self.answers, strict=True):
            moved = msgspec.structs.replace(given, feeds=perturb(given.feeds, seed))
            got = self._answer(moved)
            got = replace(got, context=msgspec.structs.replace(got.context, mode=want.context.mode))
            found += compare_answers("reference", given.name, want, got, policy)
        return found


def compare_runs(
    reference: Reference,
    name: str,
    answers: Iterable[Answer | None],
    policy: Policy,
    fallback: Sequence[Comparison] = (),
) -> list[Comparison]:
    """Compare a candidate with the reference on every input, and judge all inputs together.

    Args:
        reference: what is right.
        name: of the candidate.
        answers: the candidate's, in the order of the inputs; None where it asks for its fallback.
        policy: how far apart the answers may lie.
        fallback: the comparisons of that, on every input, which stand for those of such a run.
    """
    found: list[Comparison] = []
    again: dict[str, list[Comparison]] = {}
    for each in fallback:
        again.setdefault(each.subject.sample, []).append(_of_fallback(each, name))
    for given, want, got in zip(reference.inputs, reference.answers, answers, strict=True):
        if got is None:
            found += again[given.name]
        else:
            found += compare_answers(name, given.name, want, got, policy)
    return final_verdicts(found, reference.noise)


def final_verdicts(comparisons: Sequence[Comparison], noise: NoiseFloor | None = None) -> list[Comparison]:
    """Return the verdicts over all inputs: `VACUOUS` where nothing was compared, noise accepted."""
    marked = mark_vacuous(comparisons)
    return marked if noise is None else noise.accept(marked)


def _of_fallback(comparison: Comparison, name: str) -> Comparison:
    subject = msgspec.structs.replace(comparison.subject, runner=name)
    return msgspec.structs.replace(comparison, subject=subject, from_fallback=True)
