"""Another threshold is tried where the exported ones prove nothing, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.equivalence.test_verdict import rows
from webbuild.compare.arrays import Comparison
from webbuild.equivalence import thresholds
from webbuild.equivalence.check import EquivalenceResult
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import DetectTask

TASK = DetectTask(output="rows", rows=4, classes=["cat"])
NOTHING, FOUND = rows(0), rows(3)
ONE_SIDED = rows(0, verdict="DIFFERS")
HANDED_OVER = rows(3, repeated=True)
WRONG_FALLBACK = rows(3, "wasm", verdict="DIFFERS")


def tried(monkeypatch: pytest.MonkeyPatch, *first: list[Comparison]) -> list[float | None]:
    """Return the thresholds that were tried, where the exported ones give `first` and every other one FOUND."""
    asked: list[float | None] = []

    def prove(*_: Any, confidence: float | None = None, **__: Any) -> EquivalenceResult:
        asked.append(confidence)
        return EquivalenceResult(FOUND if confidence else [each for group in first for each in group], {}, {}, {}, {})

    monkeypatch.setattr(thresholds, "check_equivalence", prove)
    monkeypatch.setattr(thresholds, "find_evaluation_confidence", lambda *_: 0.1)
    monkeypatch.setattr(thresholds, "open_with_threshold_inputs", lambda *_: object())
    unused: Any = None
    thresholds.check_with_detections(unused, unused, [], Path(), TASK, [], [], [])
    return asked


def test_the_exported_thresholds_are_enough_where_they_find(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(monkeypatch, FOUND) == [None]


@pytest.mark.parametrize("first", [NOTHING, HANDED_OVER])
def test_what_proves_nothing_is_tried_again(monkeypatch: pytest.MonkeyPatch, first: list[Comparison]) -> None:
    assert tried(monkeypatch, first) == [None, 0.1]


@pytest.mark.parametrize("first", [(ONE_SIDED,), (HANDED_OVER, WRONG_FALLBACK)])
def test_a_difference_is_not_hidden_by_another_threshold(
    monkeypatch: pytest.MonkeyPatch, first: tuple[list[Comparison], ...]
) -> None:
    with pytest.raises(WebbuildError, match="output-mismatch"):
        tried(monkeypatch, *first)
