"""Comparison of two answers: every output and every prediction, by the task's metrics."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.compare.arrays import compare_arrays
from webbuild.compare.comparison import ComparedOutput, Comparison, Stage
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.policy import ROUNDING_TOLERANCE, Policy
from webbuild.runners.tensors import Tensors
from webbuild.tasks.registry import kind_of


def compare_answers(runner: str, sample: str, expected: Answer, actual: Answer, policy: Policy) -> list[Comparison]:
    """Compare two answers for one sample: the raw outputs, then the decoded predictions."""
    comparisons = compare_tensors(runner, sample, "raw", expected, actual.outputs, policy)
    if policy.predictions == "all" or (policy.predictions == "more" and kind_of(expected.task).predicts_more):
        comparisons += compare_predictions(runner, sample, expected, actual, policy)
    return comparisons


def compare_tensors(
    runner: str, sample: str, stage: Stage, expected: Answer, outputs: Tensors, policy: Policy
) -> list[Comparison]:
    """Compare every output of the reference: by the task's metric, else element by element."""
    return [
        comparison
        for name in expected.outputs
        for comparison in _compare_output(ComparedOutput(runner, sample, stage, name), expected, outputs, policy)
    ]


def _compare_output(
    subject: ComparedOutput, expected: Answer, outputs: Tensors, policy: Policy
) -> Sequence[Comparison]:
    """Compare the output that `subject` names."""
    array, other = expected.outputs[subject.output], outputs.get(subject.output)
    task, context, tolerance = expected.task, expected.context, policy.tolerance
    if other is not None and other.shape == array.shape and other.dtype == array.dtype:
        by_task = kind_of(task).compare_output(task, subject, array, other, context, tolerance)
        if by_task is not None:
            return by_task
    rounding = ROUNDING_TOLERANCE if subject.output in policy.within_one else 0.0
    rounded = subject.output in policy.rounded
    return [compare_arrays(subject, array, other, rounding=rounding, relative=tolerance.relative, rounded=rounded)]


def compare_predictions(runner: str, sample: str, expected: Answer, actual: Answer, policy: Policy) -> list[Comparison]:
    """Compare the decoded predictions of two answers."""
    subject = ComparedOutput(runner, sample, "decoded", "")
    kind = kind_of(expected.task)
    return list(
        kind.compare(expected.task, subject, expected.prediction, actual.prediction, expected.context, policy.tolerance)
    )
