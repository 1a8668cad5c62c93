"""Simulated clicks are where a careful person would click."""

from __future__ import annotations

import numpy as np

from models.promptable_segmenter.clicks import BACKGROUND, OBJECT, correction, deepest, depth
from models.scenes.picture import Mask


def box(left: int, top: int, right: int, bottom: int) -> Mask:
    mask = np.zeros((40, 50), np.bool_)
    mask[top:bottom, left:right] = True
    return mask


def test_depth_counts_steps_out_of_the_mask() -> None:
    mask = box(10, 5, 15, 12)
    steps = depth(mask)
    assert steps[~mask].max() == 0
    assert steps[8, 10] == 1
    assert steps[8, 12] == steps.max() == 3


def test_the_edge_of_the_picture_is_an_edge_of_the_mask() -> None:
    assert deepest(box(0, 0, 9, 9)) == (4, 4, 5)


def test_a_click_falls_into_the_widest_part() -> None:
    mask = box(2, 20, 40, 22) | box(30, 10, 41, 21)
    assert deepest(mask)[:2] == (35, 15)


def test_a_ring_is_clicked_on_and_not_into_its_hole() -> None:
    ring = box(5, 5, 30, 30) & ~box(10, 10, 25, 25)
    x, y, _ = deepest(ring)
    assert ring[y, x]


def test_nothing_has_no_depth() -> None:
    assert deepest(box(0, 0, 0, 0)) == (0, 0, 0)


def test_what_is_missing_is_clicked_on() -> None:
    truth = box(10, 10, 31, 21)
    x, y, label = correction(box(10, 10, 20, 21), truth)
    assert label == OBJECT
    assert (x, y) == (25, 15)


def test_what_is_too_much_is_clicked_away() -> None:
    truth = box(10, 10, 20, 20)
    x, y, label = correction(truth | box(30, 20, 41, 31), truth)
    assert (x, y, label) == (35, 25, BACKGROUND)


def test_the_larger_of_two_mistakes_is_clicked_first() -> None:
    truth = box(10, 10, 20, 20)
    found = box(13, 10, 20, 20) | box(30, 20, 41, 31)  # three columns are missing, a square is added
    assert correction(found, truth)[2] == BACKGROUND


def test_a_mask_that_is_right_is_confirmed() -> None:
    truth = box(10, 10, 21, 21)
    assert correction(truth, truth) == (15, 15, OBJECT)
