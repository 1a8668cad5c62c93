"""When two lists of rotated boxes are the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import ObbTask
from webbuild.tasks.decoding.rotated_boxes import probiou_matrix, row_corners
from webbuild.tasks.metrics.detection_arrays import from_rows
from webbuild.tasks.metrics.match_detections import DetectionMatch, match_detections

TASK = ObbTask(output="rows", rows=4, classes=["ship", "plane"])
TOLERANCE = Tolerance(score=1e-4, pixels=0.05)

Row = list[float]


def row(x: float, angle: float, score: float = 0.9, label: float = 0, size: tuple[float, float] = (40, 10)) -> Row:
    return [x, 50, *size, score, label, angle]


def table(*rows: Row) -> NDArray[np.float64]:
    return np.array([*rows, *[[0.0] * 7] * (4 - len(rows))])


def judged(want: NDArray[np.float64], got: NDArray[np.float64], iou: float = 0.7) -> DetectionMatch:
    return match_detections(from_rows(TASK, want), from_rows(TASK, got), TOLERANCE, confidence=0.25, iou=iou)


def test_equal_boxes_are_the_same_at_no_distance() -> None:
    rows = table(row(50, 0.3), row(150, -1.2))
    found = judged(rows, rows)
    assert (found.matches, found.pairs, found.box) == (True, 2, 0)


@pytest.mark.parametrize("turn", [math.pi / 2, -math.pi / 2])
def test_a_square_turned_by_a_quarter_is_the_same_box(turn: float) -> None:
    found = judged(table(row(50, 0.3, size=(20, 20))), table(row(50, 0.3 + turn, size=(20, 20))))
    assert found.matches
    assert found.box < 1e-9


@pytest.mark.parametrize("turn", [math.pi / 2, math.pi, -math.pi])
def test_the_same_corners_by_another_angle_are_the_same_box(turn: float) -> None:
    size = (10, 40) if abs(turn) < 2 else (40, 10)
    found = judged(table(row(50, 0.3)), table(row(50, 0.3 + turn, size=size)))
    assert found.matches
    assert found.box < 1e-9


def test_a_square_turned_by_an_eighth_is_another_box() -> None:
    found = judged(table(row(50, 0, size=(20, 20))), table(row(50, math.pi / 4, size=(20, 20))))
    assert not found.matches
    assert found.box == pytest.approx(10, abs=1e-6)  # a corner at (-10, -10) moved to (0, -14.1) or (-14.1, 0)


def test_a_box_mirrored_in_its_own_hull_is_another_box() -> None:
    assert not judged(table(row(50, 0.5)), table(row(50, -0.5))).matches


@pytest.mark.parametrize(("turn", "same"), [(0.002, True), (0.004, False)])
def test_a_box_may_turn_within_tolerance_of_its_corners(turn: float, same: bool) -> None:
    found = judged(table(row(50, 0)), table(row(50, turn)))  # a corner 20 px from the centre moves 20 px per radian
    assert found.matches is same
    assert found.box == pytest.approx(20 * turn, rel=0.01)


def test_another_class_is_another_thing() -> None:
    found = judged(table(row(50, 0.3, label=0)), table(row(50, 0.3, label=1)))
    assert (found.matches, found.pairs, len(found.unmatched)) == (False, 0, 2)


def test_an_overlap_at_the_threshold_is_the_suppressions_own_and_excuses() -> None:
    lower, upper = row(50, 0.3), row(56, 0.3, score=0.8)
    (overlap,) = probiou_matrix(row_corners(np.array([lower])), row_corners(np.array([upper])))[0].tolist()
    assert judged(table(lower, upper), table(lower), iou=overlap + 5e-4).near_threshold == 1
    assert not judged(table(lower, upper), table(lower), iou=overlap + 2e-3).matches


@pytest.mark.parametrize(
    ("first", "second", "overlap"),
    [
        # Variances of a box of 12 x 12 are 12: the distance is d^2 / (8 * 12), the overlap 1 - sqrt(1 - exp of that).
        ([0, 0, 12, 12, 1, 0, 0], [0, 0, 12, 12, 1, 0, 0.4], 1.0),
        ([0, 0, 12, 12, 1, 0, 0], [6, 0, 12, 12, 1, 0, 0], 1 - math.sqrt(1 - math.exp(-36 / 96))),
        ([0, 0, 12, 12, 1, 0, 0], [3, 4, 12, 12, 1, 0, 1], 1 - math.sqrt(1 - math.exp(-25 / 96))),
        # Variances 48 and 12 against 12 and 48: log(60^2 / (4 * 24^2)) / 2.
        ([0, 0, 24, 12, 1, 0, 0], [0, 0, 24, 12, 1, 0, math.pi / 2], 1 - math.sqrt(1 - 1 / math.sqrt(3600 / 2304))),
        ([0, 0, 4, 4, 1, 0, 0], [500, 0, 4, 4, 1, 0, 0], 0.0),
    ],
)
def test_the_overlap_is_that_of_normal_distributions(first: Row, second: Row, overlap: float) -> None:
    corners = row_corners(np.array([first])), row_corners(np.array([second]))
    assert probiou_matrix(*corners)[0, 0] == pytest.approx(overlap, abs=5e-4)


def test_boxes_without_area_have_an_overlap() -> None:
    corners = row_corners(np.array([[0, 0, 0, 0, 1, 0, 0], [300, 7, 600, 0, 1, 0, 0.7], [300, 7, 600, 0, 1, 0, 0.7]]))
    assert np.isfinite(probiou_matrix(corners, corners)).all()
