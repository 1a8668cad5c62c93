"""When two lists of detections are the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.manifests import pose_task
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.metrics.detection_arrays import from_rows
from webbuild.tasks.metrics.match_detections import DetectionMatch
from webbuild.tasks.metrics.match_detections import match_detections as matched

TASK = pose_task()
TOLERANCE = Tolerance(score=1e-4, pixels=0.05)
CONFIDENCE, IOU = 0.25, 0.7

Row = list[float]


def row(x: float, score: float, label: float = 0, size: float = 20) -> Row:
    return [x, 10, x + size, 10 + size, score, label, x, 20, 0.5, x + 5, 25, 0.75]


def table(*rows: Row, limit: int = 4) -> NDArray[np.float32]:
    return np.array([*rows, *[[0.0] * 12] * (limit - len(rows))], np.float32)


def match(want: NDArray[np.float32], got: NDArray[np.float32]) -> DetectionMatch:
    return matched(from_rows(TASK, want), from_rows(TASK, got), TOLERANCE, confidence=CONFIDENCE, iou=IOU)


def test_equal_rows_are_the_same_at_no_distance() -> None:
    rows = table(row(0, 0.9), row(50, 0.8), row(100, 0.7))
    found = match(rows, rows)
    assert (found.matches, found.pairs, found.near_threshold, found.unmatched) == (True, 3, 0, ())
    assert (found.score, found.box, found.keypoint) == (0, 0, 0)


def test_nothing_against_nothing_is_the_same_and_has_no_pairs() -> None:
    found = match(table(), table())
    assert (found.matches, found.pairs) == (True, 0)


def test_two_that_changed_places_are_still_the_same() -> None:
    a, b = row(0, 0.5), row(50, 0.50005)
    assert match(table(a, b), table(b, a)).pairs == 2
    assert match(table(a, b), table(b, a)).matches


def test_equal_boxes_of_other_scores_are_paired_by_score() -> None:
    a, b = row(0, 0.9), row(0, 0.5)
    found = match(table(a, b), table(b, a))
    assert (found.matches, found.score) == (True, 0)


@pytest.mark.parametrize(("shift", "same"), [(0.04, True), (0.06, False)])
def test_a_box_may_move_within_tolerance(shift: float, same: bool) -> None:
    moved = row(0, 0.9)
    moved[0] += shift
    found = match(table(row(0, 0.9)), table(moved))
    assert found.matches is same
    assert found.box == pytest.approx(shift, abs=1e-6)


def test_a_box_that_moved_far_is_still_the_same_thing_at_a_distance() -> None:
    found = match(table(row(0, 0.9)), table(row(5, 0.9)))  # they overlap by 0.6
    assert (found.matches, found.pairs, found.unmatched, found.box) == (False, 1, (), 5)


@pytest.mark.parametrize("column", [6, 7, 9])
def test_a_keypoint_that_moved_is_a_problem(column: int) -> None:
    moved = row(0, 0.9)
    moved[column] += 1
    found = match(table(row(0, 0.9)), table(moved))
    assert not found.matches
    assert (list(found.problems), found.keypoint) == (["keypoint"], 1)


@pytest.mark.parametrize("column", [4, 8, 11])
def test_a_score_or_confidence_that_changed_is_a_problem(column: int) -> None:
    changed = row(0, 0.9)
    changed[column] += 0.01
    found = match(table(row(0, 0.9)), table(changed))
    assert not found.matches
    assert "score" in found.problems


@pytest.mark.parametrize("score", [0.9, 0.2512])
def test_a_missing_row_is_named(score: float) -> None:
    found = match(table(row(0, 0.95), row(50, score)), table(row(0, 0.95)))
    assert not found.matches
    assert len(found.unmatched) == 1
    assert found.unmatched[0].startswith("wanted only: class 0, score")


def test_a_row_too_many_is_named() -> None:
    found = match(table(row(0, 0.95)), table(row(0, 0.95), row(50, 0.9)))
    assert found.unmatched[0].startswith("got only")
    assert not found.matches


@pytest.mark.parametrize("score", [0.25005, 0.25, 0.2500999])
def test_a_row_at_the_confidence_threshold_is_excused(score: float) -> None:
    found = match(table(row(0, 0.95), row(50, score)), table(row(0, 0.95)))
    assert (found.matches, found.near_threshold, found.pairs) == (True, 1, 1)


def test_a_row_whose_overlap_lies_at_the_threshold_is_excused() -> None:
    shift = 20 * 3 / 17  # two squares of side 20 that far apart overlap by exactly 0.7
    found = match(table(row(0, 0.95), row(shift, 0.9)), table(row(0, 0.95)))
    assert (found.matches, found.near_threshold) == (True, 1)
    assert not match(table(row(0, 0.95), row(shift - 0.1, 0.9)), table(row(0, 0.95))).matches


def test_an_overlap_with_another_class_excuses_nothing() -> None:
    shift = 20 * 3 / 17
    assert not match(table(row(0, 0.95, 1), row(shift, 0.9)), table(row(0, 0.95, 1))).matches


def test_the_last_of_a_full_list_is_excused_when_the_others_are_as_good() -> None:
    rows = [row(50 * i, 0.9 - 0.1 * i) for i in range(3)]
    found = match(table(*rows, row(200, 0.5)), table(*rows, row(300, 0.50005)))
    assert (found.matches, found.near_threshold) == (True, 2)
    assert not match(table(*rows, row(200, 0.5), limit=5), table(*rows, row(300, 0.50005), limit=5)).matches


def test_another_class_is_another_thing() -> None:
    found = match(table(row(0, 0.9, 0)), table(row(0, 0.9, 1)))
    assert (found.matches, found.pairs, len(found.unmatched)) == (False, 0, 2)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", [0, 4, 6])
def test_what_is_not_finite_is_never_the_same(value: float, column: int) -> None:
    rows = table(row(0, 0.9))
    rows[0, column] = value
    for found in (match(rows, table(row(0, 0.9))), match(table(row(0, 0.9)), rows), match(rows, rows)):
        assert not found.matches
        assert "NaN or infinite" in found.problems["finite"]


@pytest.mark.parametrize(("moved", "same"), [(0.0, True), (0.04, True), (0.5, False), (3.0, False)])
def test_a_box_without_area_is_matched_by_where_it_lies(moved: float, same: bool) -> None:
    want, got = table(row(0, 0.9, size=0)), table(row(moved, 0.9, size=0))
    assert match(want, got).matches == same
