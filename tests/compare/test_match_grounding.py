"""When two lists of detections by prompt are the same."""

from __future__ import annotations

import math

import msgspec
import pytest

from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.detection import Box, GroundedDetection
from webbuild.tasks.metrics.match_detections import DetectionMatch
from webbuild.tasks.metrics.match_grounding import match_grounding

TOLERANCE = Tolerance(score=1e-3, pixels=0.5)
CIRCLE = GroundedDetection(box=Box(10, 10, 30, 30), score=0.8, class_index=0, label="red circle", margin=0.2)
STAR = GroundedDetection(box=Box(50, 10, 70, 30), score=0.6, class_index=1, label="star", margin=0.2)


def compare(want: list[GroundedDetection], got: list[GroundedDetection]) -> DetectionMatch:
    return match_grounding(want, got, TOLERANCE, 0.35, 0.25)


def test_the_same_in_another_order_is_the_same() -> None:
    found = compare([CIRCLE, STAR], [STAR, CIRCLE])
    assert found.matches
    assert (found.pairs, found.score, found.box) == (2, 0, 0)


@pytest.mark.parametrize(
    "other",
    [
        {"label": "circle"},
        {"class_index": 1},
        {"score": 0.802},
        {"box": Box(11, 10, 31, 30)},
        {"box": Box(100, 10, 120, 30)},
        {"score": math.nan},
    ],
    ids=["other words", "another phrase", "another score", "a pixel beside", "elsewhere", "not a number"],
)
def test_what_differs_is_told(other: dict[str, object]) -> None:
    found = compare([CIRCLE, STAR], [msgspec.structs.replace(CIRCLE, **other), STAR])
    assert not found.matches


def test_one_that_is_missing_is_told_unless_its_score_is_at_the_threshold() -> None:
    assert compare([CIRCLE, STAR], [CIRCLE]).unmatched
    faint = msgspec.structs.replace(STAR, score=0.3505)
    found = compare([CIRCLE, faint], [CIRCLE])
    assert found.matches
    assert found.near_threshold == 1


def test_other_words_are_excused_where_a_token_is_at_the_threshold_of_words() -> None:
    doubtful = msgspec.structs.replace(CIRCLE, margin=5e-4)
    found = compare([doubtful], [msgspec.structs.replace(CIRCLE, label="circle")])
    assert found.matches
    assert found.near_threshold == 1


def test_nothing_against_nothing_is_the_same_and_matched_nothing() -> None:
    assert compare([], []).matches
    assert compare([], []).pairs == 0
