"""Match of two segmentations: regions paired by class and overlap, and the panoptic quality."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.regions import Segmentation


class RegionMatch(Struct, frozen=True):
    """Two divisions of a picture, compared.

    `pairs` are regions of one class that share more than half of what either covers, as no two others can;
    `near_threshold` ones have no partner, but their score lies at the threshold or they are a single pixel. `mask` is
    the largest part of a pair that only one side covers, a pixel less; `panoptic_quality` the panoptic quality: the sum
    of the pairs' overlaps over the pairs and half of the others. `rms` has the root mean squares of the pairs by
    quantity, `problems` which pair is too far apart in it.
    """

    pairs: int
    near_threshold: int
    unmatched: tuple[str, ...]
    score: float
    mask: float
    min_mask_iou: float | None
    panoptic_quality: float
    problems: Mapping[str, str]
    rms: Mapping[str, float] = {}

    @property
    def matches(self) -> bool:
        """Whether the two are the same. True also for nothing against nothing: see `pairs`."""
        return not self.unmatched and not self.problems


def match_regions(want: Segmentation, got: Segmentation, tolerance: Tolerance, threshold: float) -> RegionMatch:
    """Compare two divisions of one picture.

    Args:
        want: the reference's.
        got: the other.
        tolerance: how far scores may lie apart, and what part of two regions only one of them may cover.
        threshold: the score that regions had to reach, at which either side may have decided otherwise.
    """
    if want.map.shape != got.map.shape:
        problem = f"a map of {list(got.map.shape)}, wanted {list(want.map.shape)}"
        return RegionMatch(0, 0, (), np.inf, np.inf, None, 0.0, {"map": problem})
    ours, theirs = len(want.regions), len(got.regions)
    both = want.map.astype(np.int64) * (theirs + 1) + got.map
    shared = np.bincount(both.ravel(), minlength=(ours + 1) * (theirs + 1)).reshape(ours + 1, -1)
    total = shared.sum(axis=1)[:, None] + shared.sum(axis=0)[None] - shared
    pairs: list[tuple[int, int]] = []
    for i, region in enumerate(want.regions):
        for j, other in enumerate(got.regions):
            if region.class_index == other.class_index and 2 * shared[i + 1, j + 1] > total[i + 1, j + 1]:
                pairs.append((i, j))
    at = tuple(np.array([[i + 1, j + 1] for i, j in pairs], int).reshape(-1, 2).T)
    covered = total[at]
    differing = np.maximum(covered - shared[at] - 1, 0) / np.maximum(covered, 1)
    scores = np.array([_score_difference(want.regions[i].score, got.regions[j].score) for i, j in pairs])
    overlaps = shared[at] / np.maximum(covered, 1)
    accused, excused = _unmatched_regions(want, got, pairs, tolerance.score, threshold)
    lonely = ours + theirs - 2 * len(pairs)
    problems = {
        name: f"wanted {want.describe(pairs[int(each.argmax())][0])}, got {got.describe(pairs[int(each.argmax())][1])}"
        for name, each, allowed in (("score", scores, tolerance.score), ("mask", differing, tolerance.region))
        if each.size and each.max() > allowed
    }
    return RegionMatch(
        len(pairs),
        excused,
        accused,
        float(scores.max(initial=0.0)),
        float(differing.max(initial=0.0)),
        float(overlaps.min()) if pairs else None,
        float(overlaps.sum() / (len(pairs) + lonely / 2)) if pairs or lonely else 1.0,
        problems,
        {
            name: float(np.sqrt(np.mean(e**2))) if e.size else 0.0
            for name, e in (("score", scores), ("mask", differing))
        },
    )


def _score_difference(one: float | None, other: float | None) -> float:
    """Return the difference of two scores, 0 where neither side has any, infinite where one has."""
    if one is None and other is None:
        return 0.0
    return np.inf if one is None or other is None or not np.isfinite([one, other]).all() else abs(one - other)


def _unmatched_regions(
    want: Segmentation, got: Segmentation, pairs: list[tuple[int, int]], score: float, threshold: float
) -> tuple[tuple[str, ...], int]:
    """Return what is said of the regions without a partner and without an excuse, and how many have one."""
    accused, excused = [], 0
    for name, side, taken in (("wanted", want, {i for i, _ in pairs}), ("got", got, {j for _, j in pairs})):
        for index, region in enumerate(side.regions):
            if index in taken:
                continue
            if region.pixels == 1 or (region.score is not None and abs(region.score - threshold) <= score):
                excused += 1
            else:
                accused.append(f"{name} only: {side.describe(index)}")
    return tuple(accused), excused
