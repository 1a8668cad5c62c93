"""Match two segmentations: regions paired by class and overlap, and the panoptic quality."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.regions import Segmentation


class RegionMatch(Struct, frozen=True):
    """The comparison of two segmentations of a picture.

    `pairs` is the number of regions of the same class with an IoU above one half; such pairs are unique.
    `near_threshold` regions have no partner, but their score is near the threshold or they are a single pixel. `mask`
    is the largest (symmetric difference - 1 pixel) / union of a pair. `panoptic_quality` is the sum of the pairs' IoUs,
    divided by the number of pairs and half the number of other regions. `rms` has the root mean squares of the pairs by
    quantity, `problems` the worst pair by quantity, if it is too far apart.
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
        """Whether the segmentations match. True also if both are empty: see `pairs`."""
        return not self.unmatched and not self.problems


def match_regions(want: Segmentation, got: Segmentation, tolerance: Tolerance, threshold: float) -> RegionMatch:
    """Compare two segmentations of one picture.

    Args:
        want: the reference's.
        got: the candidate's.
        tolerance: the allowed difference of scores, and the allowed symmetric difference / union of regions.
        threshold: the score threshold of regions; near it a region may be on one side only.
    """
    if want.map.shape != got.map.shape:
        problem = f"a map of {list(got.map.shape)}, wanted {list(want.map.shape)}"
        return RegionMatch(
            pairs=0,
            near_threshold=0,
            unmatched=(),
            score=np.inf,
            mask=np.inf,
            min_mask_iou=None,
            panoptic_quality=0.0,
            problems={"map": problem},
        )
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
    unmatched, excused = _unmatched_regions(want, got, pairs, tolerance.score, threshold)
    unpaired = ours + theirs - 2 * len(pairs)
    problems = {
        name: f"wanted {want.describe(pairs[int(each.argmax())][0])}, got {got.describe(pairs[int(each.argmax())][1])}"
        for name, each, allowed in (("score", scores, tolerance.score), ("mask", differing, tolerance.region))
        if each.size and each.max() > allowed
    }
    return RegionMatch(
        pairs=len(pairs),
        near_threshold=excused,
        unmatched=unmatched,
        score=float(scores.max(initial=0.0)),
        mask=float(differing.max(initial=0.0)),
        min_mask_iou=float(overlaps.min()) if pairs else None,
        panoptic_quality=float(overlaps.sum() / (len(pairs) + unpaired / 2)) if pairs or unpaired else 1.0,
        problems=problems,
        rms={
            name: float(np.sqrt(np.mean(e**2))) if e.size else 0.0
            for name, e in (("score", scores), ("mask", differing))
        },
    )


def _score_difference(one: float | None, other: float | None) -> float:
    """Return the difference of two scores, 0 if neither side has a score, infinite if only one has."""
    if one is None and other is None:
        return 0.0
    return np.inf if one is None or other is None or not np.isfinite([one, other]).all() else abs(one - other)


def _unmatched_regions(
    want: Segmentation, got: Segmentation, pairs: list[tuple[int, int]], score: float, threshold: float
) -> tuple[tuple[str, ...], int]:
    """Return descriptions of the unmatched regions, and the number of unpaired regions excused by the threshold."""
    unmatched, excused = [], 0
    for name, side, paired in (("wanted", want, {i for i, _ in pairs}), ("got", got, {j for _, j in pairs})):
        for index, region in enumerate(side.regions):
            if index in paired:
                continue
            if region.pixels == 1 or (region.score is not None and abs(region.score - threshold) <= score):
                excused += 1
            else:
                unmatched.append(f"{name} only: {side.describe(index)}")
    return tuple(unmatched), excused
