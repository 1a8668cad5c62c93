"""The confusion table of predictions and measurements, its accuracy, and the recall of each outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import get_args

from webbuild.targets.table import Outcome

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
PREDICTIONS = (*OUTCOMES, "removed")
"""If a node is predicted to be folded but runs, the prediction is wrong too."""
FAILS: tuple[Outcome, ...] = ("no-session", "throws", "wrong")

Counts = Counter[tuple[str, str]]
"""By measured outcome, then by prediction."""


def confusion_counts(pairs: Iterable[tuple[str, str]]) -> Counts:
    """Count the pairs of a measured outcome and a prediction."""
    return Counter((true, guess) for true, guess in pairs if true in OUTCOMES and guess in PREDICTIONS)


def accuracy(counts: Counts) -> float:
    """Return the share of right predictions. Raises ValueError if there are no counts."""
    if not counts:
        raise ValueError("nothing was measured")
    return sum(number for (true, guess), number in counts.items() if true == guess) / counts.total()


def recall(counts: Counts, end: str) -> float | None:
    """Return the share of nodes with this outcome that were predicted so; None if there are none."""
    known = sum(number for (true, _), number in counts.items() if true == end)
    return counts[end, end] / known if known else None


def rows(counts: Counts) -> Iterator[str]:
    """Yield the lines of the table: measured outcomes as rows, predictions as columns, and recall."""
    yield "| measured \\ predicted | " + " | ".join(PREDICTIONS) + " | recall |"
    yield "|---" * (len(PREDICTIONS) + 2) + "|"
    for true in OUTCOMES:
        cells = " | ".join(str(counts[true, guess] or "") for guess in PREDICTIONS)
        part = recall(counts, true)
        yield f"| {true} | {cells} | {'' if part is None else f'{part:.3f}'} |"
