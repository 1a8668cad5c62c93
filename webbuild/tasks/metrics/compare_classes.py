"""Compare classifications: the best class, and the scores of all classes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import ClassifyTask
from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.metrics.match_classes import match_classes

TOP_CLASSES = 5
"""Number of classes listed in a report."""


def compare_classes(
    task: ClassifyTask,
    subject: ComparedOutput,
    want: NDArray[np.float64],
    got: NDArray[np.float64],
    tolerance: Tolerance,
    problem: str = "",
) -> list[Comparison]:
    """Compare the probabilities [classes] of one picture, relative to the best probability.

    `problem` describes another defect of `got`. If all classes have the same score in the reference, there is no
    signal; `mark_vacuous` fails if no sample has a signal.
    """
    match = match_classes(want, got, tolerance.score)
    finite = math.isfinite(match.distance)
    close = match.distance <= match.allowed
    return [
        Comparison(
            subject=subject.with_quantity("class"),
            verdict="OK" if match.same_class and not problem else "DIFFERS",
            tolerance=0,
            max_abs=float(not match.same_class),
            want=_class_name(task, match.want),
            got=_class_name(task, match.got),
            signal=float(match.is_informative),
            reason="malformed" if problem else None if match.same_class else "not-equal",
            details=(problem,) if problem else (),
        ),
        Comparison(
            subject=subject.with_quantity("score"),
            verdict="OK" if close else "DIFFERS",
            tolerance=match.allowed,
            max_abs=match.distance if finite else None,
            signal=match.spread if finite and match.is_informative else 0.0,
            reason=None if close else "too-far" if finite else "not-finite",
            near_threshold=int(match.tied),
        ),
    ]


def compare_decoded_classes(
    task: ClassifyTask,
    subject: ComparedOutput,
    want: Sequence[ClassScore],
    got: Sequence[ClassScore],
    tolerance: Tolerance,
) -> list[Comparison]:
    """Compare the runtime's results: all classes by name, best first."""
    sides = _scores_by_index(task, want), _scores_by_index(task, got)
    return compare_classes(task, subject, *sides, tolerance, _order_problem(task, got))


def _scores_by_index(task: ClassifyTask, ranked: Sequence[ClassScore]) -> NDArray[np.float64]:
    """Return the scores [classes], NaN for a missing class."""
    scores = np.full(len(task.classes), np.nan)
    for each in ranked:
        if 0 <= each.class_index < len(scores):
            scores[each.class_index] = each.score
    return scores


def _order_problem(task: ClassifyTask, ranked: Sequence[ClassScore]) -> str:
    if len(ranked) != len(task.classes):
        return f"{len(ranked)} classes, wanted {len(task.classes)}"
    if any(each.label != _class_name(task, each.class_index) for each in ranked):
        return "a class has another class's name"
    ranks = [(-each.score, each.class_index) for each in ranked]
    return "" if ranks == sorted(ranks) else "the classes are not in order of falling score"


def _class_name(task: ClassifyTask, index: int) -> str:
    return task.classes[index] if 0 <= index < len(task.classes) else "none"
