"""The quality measures, on results with known values."""

from __future__ import annotations

import numpy as np
import pytest

from models.scenes.quality import Boxes, Panoptic, count, mean_average_precision, overlaps

TRUE = Boxes(np.array([[0, 0, 10, 10], [20, 0, 30, 10]]), np.array([0, 1]))


def test_overlap_of_boxes() -> None:
    shares = overlaps(TRUE.boxes, np.array([[0, 0, 10, 10], [5, 0, 15, 10]]))
    assert shares == pytest.approx(np.array([[1, 1 / 3], [0, 0]]))


def test_what_is_right_scores_one() -> None:
    found = Boxes(TRUE.boxes, TRUE.classes, np.array([0.9, 0.2]))
    assert mean_average_precision([found], [TRUE], [0.5, 0.95]) == pytest.approx(1)


def test_the_wrong_class_counts_for_nothing() -> None:
    found = Boxes(TRUE.boxes, np.array([0, 0]), np.array([0.2, 0.9]))
    assert mean_average_precision([found], [TRUE], [0.5]) == pytest.approx(0.25)  # one class at precision 0.5


def test_a_box_found_twice_is_wrong_once() -> None:
    found = Boxes(TRUE.boxes[[0, 0, 1]], np.array([0, 0, 1]), np.array([0.9, 0.8, 0.7]))
    assert mean_average_precision([found], [TRUE], [0.5]) == pytest.approx(1)  # the second comes after full recall


def test_panoptic_quality_counts_overlap_false_and_missed() -> None:
    left, right = np.zeros((4, 4), bool), np.zeros((4, 4), bool)
    left[:, :2], right[:, 3:] = True, True
    part = left.copy()
    part[0, 0] = False
    sums: dict[int, Panoptic] = {}
    count([(0, part), (1, right)], [(0, left), (0, right)], sums)
    assert sums[0].quality == pytest.approx((7 / 8) / 1.5)  # one matched by 7 of 8 pixels, one missed
    assert sums[1].quality == 0
    assert sums[1].false == 1
