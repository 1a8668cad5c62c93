"""When two lists of masks are the same."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import SegmentTask
from webbuild.tasks.decoding.mask import Mask, mask_difference
from webbuild.tasks.metrics.detection_arrays import DetectionArrays, from_rows
from webbuild.tasks.metrics.match_detections import DetectionMatch, match_detections

TASK = SegmentTask(output="rows", protos="protos", rows=2, classes=["cup"], mask_coefficients=2)
ROWS = np.array([[10, 10, 30, 30, 0.9, 0, 1, 2], [50, 10, 70, 30, 0.8, 0, 3, 4]])
DISC: NDArray[np.bool_] = np.hypot(*np.mgrid[-9.5:10, -9.5:10]) < 9
"""Cells [20, 20], of which 256 are covered."""


def mask(cells: NDArray[np.bool_], x: float = 10, y: float = 10, size: float = 1) -> Mask:
    rows, columns = cells.shape
    return Mask(x, y, columns * size, rows * size, columns, rows, cells.tobytes())


def judged(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> DetectionMatch:
    """Return the verdict on two objects, where the second one's mask differs."""
    want, got = (from_rows(TASK, ROWS, [mask(DISC), mask(cells, x=50)]) for cells in (first, second))
    return compared(want, got)


def compared(want: DetectionArrays, got: DetectionArrays) -> DetectionMatch:
    return match_detections(want, got, Tolerance(score=1e-4, pixels=0.05, mask=0.02), confidence=0.25, iou=0.7)


def without(count: int) -> NDArray[np.bool_]:
    """Return the disc without its first cells."""
    left = DISC.copy()
    left.flat[np.flatnonzero(DISC)[:count]] = False
    return left


def test_equal_masks_are_the_same_at_no_distance() -> None:
    found = judged(DISC, DISC)
    assert (found.matches, found.mask, found.masks, found.min_mask_iou) == (True, 0, 2, 1)


@pytest.mark.parametrize(("lost", "same"), [(1, True), (6, True), (7, False), (256, False)])
def test_a_mask_may_lose_one_cell_and_two_percent(lost: int, same: bool) -> None:
    assert DISC.sum() == 256
    found = judged(DISC, without(lost))
    assert found.matches is same
    assert found.mask == pytest.approx((lost - 1) / 256)
    assert found.min_mask_iou == pytest.approx(1 - lost / 256)
    if not same:
        assert "detection 1" in found.problems["mask"]


def test_a_tiny_mask_may_lose_one_cell_and_no_more() -> None:
    tiny, one, none = (np.zeros((20, 20), bool) for _ in range(3))
    tiny[5, 5:8] = one[5, 5:7] = True
    assert judged(tiny, one).matches
    assert not judged(tiny, none).matches


def test_masks_that_cover_nothing_are_the_same_and_are_not_counted() -> None:
    nothing = np.zeros((20, 20), bool)
    found = judged(nothing, nothing)
    assert (found.matches, found.masks, found.pairs) == (True, 1, 2)


def test_without_masks_nothing_is_said_of_them() -> None:
    found = compared(from_rows(TASK, ROWS), from_rows(TASK, ROWS))
    assert (found.matches, found.masks, found.min_mask_iou) == (True, 0, None)


def test_the_numbers_a_mask_was_made_of_are_not_compared() -> None:
    other = ROWS.copy()
    other[:, 6:] += 1
    want, got = (from_rows(TASK, rows, [mask(DISC), mask(DISC, x=50)]) for rows in (ROWS, other))
    assert compared(want, got).matches


@pytest.mark.parametrize(("dx", "dy"), [(0, 0), (1, 0), (0, 2), (3, 4), (19, 0)])
def test_grids_that_begin_elsewhere_are_laid_over_one_another(dx: int, dy: int) -> None:
    cropped = mask(DISC[dy:, dx:], x=10 + dx, y=10 + dy)
    missing = int(DISC.sum() - DISC[dy:, dx:].sum())
    assert mask_difference(mask(DISC), cropped) == (missing, 256)
    assert mask_difference(cropped, mask(DISC)) == (missing, 256)


def test_cells_of_two_and_a_half_source_pixels_are_laid_over_one_another_too() -> None:
    whole, cropped = mask(DISC, x=25, y=25, size=2.5), mask(DISC[4:, 2:], x=30, y=35, size=2.5)
    assert mask_difference(whole, cropped) == (int(DISC.sum() - DISC[4:, 2:].sum()), 256)


@pytest.mark.parametrize("field", ["width", "height"])
def test_cells_of_another_size_have_nothing_in_common(field: str) -> None:
    stretched = msgspec.structs.replace(mask(DISC), **{field: 21.0})
    assert mask_difference(mask(DISC), stretched) == (512, 512)


def test_masks_far_apart_have_nothing_in_common() -> None:
    assert mask_difference(mask(DISC), mask(DISC, x=500, y=-300)) == (512, 512)


def test_a_grid_without_cells_covers_nothing() -> None:
    empty = mask(np.zeros((0, 7), bool))
    assert mask_difference(empty, mask(DISC)) == (256, 256)
    assert mask_difference(empty, empty) == (0, 0)
