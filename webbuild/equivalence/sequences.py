"""Sequences of runs: merges steps into one sample for reports, and checks that guessed states are real states."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import Comparison
from webbuild.errors import WebbuildError, page_url
from webbuild.manifest.manifest import StateInput
from webbuild.runners.stateful import StatefulRuns
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample

_FIX = "give the right pair with --state IN=OUT, or --state none, which packs the model without states"


def merge_steps(comparisons: Sequence[Comparison], sequences: Mapping[str, str]) -> list[Comparison]:
    """Return the comparisons; of the steps of a sequence, only the worst remains.

    Args:
        comparisons: the comparisons, with final verdicts.
        sequences: the sequence name by sample name; it does not contain single samples.
    """
    merged: dict[tuple[object, ...], Comparison] = {}
    for index, each in enumerate(comparisons):
        about = each.subject
        if (name := sequences.get(about.sample)) is None:
            merged[(index,)] = each
            continue
        key = (name, about.runner, about.stage, about.output, about.quantity)
        shown = _as_sequence(each, name)
        if key not in merged or _is_worse(shown, merged[key]):
            merged[key] = shown
    return list(merged.values())


def _as_sequence(comparison: Comparison, name: str) -> Comparison:
    step = comparison.subject.sample.removeprefix(f"{name}, ")
    subject = msgspec.structs.replace(comparison.subject, sample=name)
    return msgspec.structs.replace(comparison, subject=subject, details=(*comparison.details, f"at {step}"))


def _is_worse(one: Comparison, other: Comparison) -> bool:
    order = ("VACUOUS", "OK", "DIFFERS")  # a vacuous step does not matter if another step has signal
    return (order.index(one.verdict), one.tolerance_used) > (order.index(other.verdict), other.tolerance_used)


def check_states(
    run: Callable[[Tensors], Tensors],
    states: Sequence[StateInput],
    sequence: Sequence[Sample],
    guessed: Collection[str] = (),
) -> list[str]:
    """Raise if a state never changes, or no output depends on it; warn of pairs that may not be states.

    Each state is set to zeros in the middle of the sequence; this must change another output of a later step.

    Args:
        run: the original.
        states: the states to check.
        sequence: the steps.
        guessed: state inputs paired by name or shape. Through these states, another first step must change the third or
            a later step: an output that only forwards an input of the same run is not proven to be a state.

    Returns:
        A warning for each guessed state that does not pass.

    Raises:
        WebbuildError: `constant-state`, `unused-state`.
    """
    if not states or not sequence:
        return []
    runs, middle, answers = StatefulRuns(run, states), len(sequence) // 2, list[Tensors]()
    runs_at_middle = runs
    for step in sequence:
        if len(answers) == middle:
            runs_at_middle = copy(runs)
        answers.append(runs(step.feeds, continues=step.continues))
    for spec in states:
        _require_changing(spec, answers)
        _require_used(spec, runs_at_middle, sequence, answers, middle)
    return [
        _unproven_warning(spec)
        for spec in states
        if spec.name in guessed and not _reaches_third_step(runs, spec, sequence, answers)
    ]


def _require_changing(spec: StateInput, answers: Sequence[Tensors]) -> None:
    """Raise `constant-state` if the output of a state is the same after every step."""
    values = [answer[spec.output] for answer in answers]
    if all(_equal(values[0], each) for each in values):
        same = "the same" if values[0].any() else "0"
        raise WebbuildError(
            "constant-state",
            f"state '{spec.name}': output '{spec.output}' is {same} after each of {len(answers)} steps: it carries "
            "no information",
            _FIX,
        )


def _require_used(
    spec: StateInput, runs: StatefulRuns, sequence: Sequence[Sample], answers: Sequence[Tensors], middle: int
) -> None:
    """Raise `unused-state` if replacing a state by zeros changes no other output of the steps from `middle` on.

    Args:
        spec: the state.
        runs: the runs before step `middle`.
        sequence: the steps.
        answers: the outputs of all steps with the state.
        middle: the first step with zeros.
    """
    zeroed = copy(runs)
    zeroed.forget(spec.name)
    names = [name for name in answers[0] if name != spec.output] or [spec.output]
    later = zip(sequence[middle:], answers[middle:], strict=True)
    if all(_equal_outputs(names, want, zeroed(step.feeds, continues=True)) for step, want in later):
        raise WebbuildError(
            "unused-state",
            f"state '{spec.name}': set to zeros after {middle} steps, it changes no other output of the "
            f"{len(sequence) - middle} steps that follow",
            _FIX,
        )


def _reaches_third_step(
    runs: StatefulRuns, spec: StateInput, sequence: Sequence[Sample], answers: Sequence[Tensors]
) -> bool:
    """Whether the state after another first step changes the third or a later step."""
    changed, other = copy(runs), copy(runs)
    changed(sequence[0].feeds, continues=False)
    other(sequence[len(sequence) // 2].feeds, continues=False)
    changed.take(spec.name, other)
    names = [name for name in answers[0] if name != spec.output] or [spec.output]
    later = zip(sequence[1:], answers[1:], strict=True)
    return any(
        not _equal_outputs(names, want, changed(step.feeds, continues=True)) and at > 1
        for at, (step, want) in enumerate(later, 1)
    )


def _unproven_warning(spec: StateInput) -> str:
    return (
        f"[unproven-state] state '{spec.name}': what '{spec.output}' carries from the first step changes at most the "
        f"second, so the pair may not be a state; if it is, give --state {spec.name}={spec.output}; else give "
        f"--state none, which packs the model without states; see: {page_url('unproven-state')}"
    )


def _equal_outputs(names: Sequence[str], want: Tensors, got: Tensors) -> bool:
    return all(_equal(want[name], got[name]) for name in names)


def _equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
