"""Predictions beside measurements, counted: the confusion table, its accuracy, the recall of each end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import get_args

from webbuild.targets.table import Outcome

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
PREDICTIONS = (*OUTCOMES, "removed")
"""Of a node that is to be folded, and runs, the prediction is wrong as well."""
FAILS: tuple[Outcome, ...] = ("no-session", "throws", "wrong")

Counts = Counter[tuple[str, str]]
"""By what was measured, then what was predicted."""


def confusion_counts(pairs: Iterable[tuple[str, str]]) -> Counts:
    """Count the pairs of an end that a run can have, and a prediction."""
    return Counter((true, guess) for true, guess in pairs if true in OUTCOMES and guess in PREDICTIONS)


def accuracy(counts: Counts) -> float:
    """Return the part that was predicted right. Raises ValueError where there is nothing to judge by."""
    if not counts:
        raise ValueError("nothing was measured")
    return sum(number for (true, guess), number in counts.items() if true == guess) / counts.total()


def recall(counts: Counts, end: str) -> float | None:
    """Return the part of what ended so that was to end so; None where nothing did."""
    known = sum(number for (true, _), number in counts.items() if true == end)
    return counts[end, end] / known if known else None


def rows(counts: Counts) -> Iterator[str]:
    """Yield the lines of the table: measured downwards, predicted across, and the recall of each."""
    yield "| measured \\ predicted | " + " | ".join(PREDICTIONS) + " | recall |"
    yield "|---" * (len(PREDICTIONS) + 2) + "|"
    for true in OUTCOMES:
        cells = " | ".join(str(counts[true, guess] or "") for guess in PREDICTIONS)
        part = recall(counts, true)
        yield f"| {true} | {cells} | {'' if part is None else f'{part:.3f}'} |"
