"""Lines are shrunk by the margin that decoding adds back, and neighbours stay separate."""

from __future__ import annotations

import numpy as np
import pytest

from models.text_reader.shrink import UNCLIP, shrinkage, truth


@pytest.mark.parametrize(("wide", "high"), [(20, 20), (60, 20), (400, 20), (12, 90)])
def test_unclipping_restores_the_box(wide: float, high: float) -> None:
    taken = shrinkage(wide, high)
    inner = wide - 2 * taken, high - 2 * taken
    assert min(inner) > 0.3 * min(wide, high)
    assert inner[0] * inner[1] * UNCLIP / (2 * sum(inner)) == pytest.approx(taken)


def box(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)


def test_the_map_is_set_where_the_shrunk_line_lies() -> None:
    wanted, counts = truth(box(10, 20, 110, 40)[None], 64, 128)
    taken = shrinkage(100, 20)
    rows, columns = np.nonzero(wanted > 0.5)
    assert counts.min() == 1
    assert [rows.min(), columns.min()] == pytest.approx([20 + taken, 10 + taken], abs=1)
    assert [rows.max() + 1, columns.max() + 1] == pytest.approx([40 - taken, 110 - taken], abs=1)
    assert wanted.sum() == pytest.approx((100 - 2 * taken) * (20 - 2 * taken), rel=0.02)


def test_lines_that_touch_are_two_regions() -> None:
    wanted, _ = truth(np.stack([box(4, 4, 100, 24), box(4, 24, 100, 44)]), 64, 128)
    column = wanted[:, 50] > 0.5
    assert (np.diff(column.astype(int)) == 1).sum() == 2


def test_a_turned_line_keeps_its_area() -> None:
    turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
    quad = box(-30, -10, 30, 10) @ turn + 64
    wanted, _ = truth(quad[None], 128, 128)
    taken = shrinkage(60, 20)
    assert wanted.sum() == pytest.approx((60 - 2 * taken) * (20 - 2 * taken), rel=0.03)


def test_a_line_too_small_to_read_is_neither_text_nor_ground() -> None:
    wanted, counts = truth(box(10, 10, 60, 13)[None], 64, 128)
    assert wanted.max() == 0
    assert counts[11, 30] == 0
    assert counts[30, 30] == 1


def test_a_line_outside_the_picture_leaves_no_trace() -> None:
    wanted, counts = truth(box(200, 10, 260, 30)[None], 64, 128)
    assert wanted.max() == 0
    assert counts.min() == 1
