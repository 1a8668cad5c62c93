"""When two segmentations of an image are the same, and how far one mask may differ."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput
from webbuild.compare.tolerances import BROWSER, REDUCED_PRECISION, Tolerance
from webbuild.compare.vacuity import mark_vacuous
from webbuild.manifest.manifest import ImageSegmentationTask
from webbuild.tasks.decoding.regions import DrawnRegion, Segmentation, measure_regions
from webbuild.tasks.metrics.compare_segmentation import compare_regions
from webbuild.tasks.metrics.match_regions import RegionMatch, match_regions

NAMES = ["cat", "dog", "sky"]
TASK = ImageSegmentationTask(masks="m", scores="s", classes=NAMES, mode="panoptic")
ABOUT = ComparedOutput("webgpu", "desk", "decoded", "")
TOLERANCE = Tolerance(score=1e-3, pixels=0.5)


def scene() -> NDArray[np.int64]:
    """A cat and a dog of 20 x 20 pixels under a sky."""
    numbers = np.full((60, 80), 3)
    numbers[20:40, 10:30] = 1
    numbers[20:40, 50:70] = 2
    return numbers


def regions(numbers: NDArray[np.int64], scores: tuple[float | None, ...] = (0.9, 0.8, 0.7)) -> Segmentation:
    return measure_regions(numbers, [DrawnRegion(n, n - 1, scores[n - 1]) for n in (1, 2, 3)], NAMES)


def match(got: Segmentation, want: Segmentation | None = None) -> RegionMatch:
    return match_regions(want or regions(scene()), got, TOLERANCE, 0.5)


def test_the_same_division_is_the_same() -> None:
    found = match(regions(scene()))
    assert (found.matches, found.pairs, found.near_threshold, found.score, found.mask) == (True, 3, 0, 0, 0)
    assert (found.min_mask_iou, found.panoptic_quality) == (1, 1)


@pytest.mark.parametrize(("down", "across"), [(1, 0), (0, 1), (-1, 0), (0, -1)])
def test_a_mask_that_moves_by_one_pixel_is_another(down: int, across: int) -> None:
    moved = np.where(scene() == 1, 3, scene())
    moved[20 + down : 40 + down, 10 + across : 30 + across] = 1
    found = match(regions(moved))
    assert not found.matches
    assert "mask" in found.problems
    assert found.mask == pytest.approx(0.0929, abs=1e-4)
    assert found.panoptic_quality < 1 - TOLERANCE.region


def test_more_of_a_mask_may_move_in_reduced_precision() -> None:
    changed = scene()
    changed[20, 10:18] = 3  # 7 of 400 pixels differ, one of which is allowed
    assert not match(regions(changed)).matches
    assert match_regions(regions(scene()), regions(changed), REDUCED_PRECISION, 0.5).matches
    changed[20, 10:20] = 3
    assert not match_regions(regions(scene()), regions(changed), REDUCED_PRECISION, 0.5).matches


def test_a_pixel_that_changes_hands_is_rounding_and_three_are_not() -> None:
    changed = scene()
    changed[20, 10] = 3
    assert match(regions(changed)).matches
    changed[20, 10:14] = 3
    assert not match(regions(changed)).matches


def test_scores_may_lie_as_far_apart_as_is_allowed() -> None:
    assert match(regions(scene(), (0.9009, 0.8, 0.7))).matches
    found = match(regions(scene(), (0.9011, 0.8, 0.7)))
    assert found.problems["score"].startswith("wanted cat, score 0.9000, 400 pixels, got cat")
    assert not match(regions(scene(), (None, 0.8, 0.7))).matches
    assert not match(regions(scene(), (np.nan, 0.8, 0.7))).matches
    nothing = (None, None, None)
    assert match(regions(scene(), nothing), regions(scene(), nothing)).matches


def test_a_region_of_another_class_has_no_partner() -> None:
    other = measure_regions(scene(), [DrawnRegion(1, 1, 0.9), DrawnRegion(2, 1, 0.8), DrawnRegion(3, 2, 0.7)], NAMES)
    found = match(other)
    assert found.unmatched == ("wanted only: cat, score 0.9000, 400 pixels", "got only: dog, score 0.9000, 400 pixels")
    assert found.panoptic_quality == pytest.approx(2 / 3)


def test_a_missing_region_is_excused_at_the_threshold_only() -> None:
    want = regions(scene(), (0.9, 0.5004, 0.7))
    without = measure_regions(
        np.where(scene() == 2, 0, scene()), [DrawnRegion(1, 0, 0.9), DrawnRegion(3, 2, 0.7)], NAMES
    )
    found = match(without, want)
    assert (found.matches, found.near_threshold, found.pairs) == (True, 1, 2)
    assert not match(without).matches


def test_maps_of_another_size_and_maps_that_are_missing_differ() -> None:
    assert match(regions(scene()[:-1])).problems == {"map": "a map of [59, 80], wanted [60, 80]"}
    comparisons = compare_regions(ABOUT, regions(scene()), None, TASK.threshold, BROWSER)
    assert {each.verdict for each in comparisons} == {"DIFFERS"}


def test_the_report_names_the_quantities() -> None:
    comparisons = compare_regions(ABOUT, regions(scene()), regions(scene()), TASK.threshold, BROWSER)
    assert [each.subject.name for each in comparisons] == ["regions", "score", "mask", "quality"]
    assert {each.verdict for each in comparisons} == {"OK"}
    assert all(each.signal == 3 for each in comparisons)
    assert [each.similarity for each in comparisons] == [None, None, 1, None]
    nothing = (None, None, None)
    comparisons = compare_regions(ABOUT, regions(scene(), nothing), regions(scene(), nothing), TASK.threshold, BROWSER)
    assert [each.subject.name for each in comparisons] == ["regions", "mask", "quality"]


def test_nothing_against_nothing_on_every_sample_proves_nothing() -> None:
    empty = Segmentation(np.zeros((4, 4), np.uint16), ())
    comparisons = compare_regions(ABOUT, empty, empty, TASK.threshold, BROWSER)
    assert {each.verdict for each in comparisons} == {"OK"}
    assert {each.verdict for each in mark_vacuous(list(comparisons))} == {"VACUOUS"}


def test_a_region_too_much_differs() -> None:
    fewer = measure_regions(np.where(scene() == 1, 0, scene()), [DrawnRegion(2, 1, 0.8), DrawnRegion(3, 2, 0.7)], NAMES)
    comparisons = compare_regions(ABOUT, fewer, regions(scene()), TASK.threshold, BROWSER)
    verdicts = {each.subject.name: each.verdict for each in comparisons}
    assert verdicts == {"regions": "DIFFERS", "score": "OK", "mask": "OK", "quality": "DIFFERS"}
