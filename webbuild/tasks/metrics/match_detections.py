"""Match of two lists of detections: paired by class and overlap, then measured."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.metrics.assignment import assign_pairs, is_near_threshold
from webbuild.tasks.metrics.detection_arrays import DetectionArrays, Floats
from webbuild.tasks.metrics.detection_metrics import measure_pairs


class DetectionMatch(Struct, frozen=True):
    """Two results of one picture, compared object by object.

    `pairs` were matched; the `near_threshold` ones were not, but lie within tolerance of a threshold; the `unmatched`
    ones have no excuse. `problems` say of a quantity which pair is too far apart. Distances are the largest over all
    pairs, `rms` their root mean squares by name. `masks` of the pairs cover anything at all. `partners` are the indices
    of the pairs.
    """

    pairs: int
    near_threshold: int
    unmatched: tuple[str, ...]
    score: float
    box: float
    keypoint: float
    min_oks: float | None
    problems: Mapping[str, str]
    mask: float = 0.0
    masks: int = 0
    min_mask_iou: float | None = None
    rms: Mapping[str, float] = {}
    partners: Mapping[int, int] = {}

    @property
    def matches(self) -> bool:
        """Whether the two are the same result. True also for nothing against nothing: see `pairs`."""
        return not self.unmatched and not self.problems


def match_detections(
    want: DetectionArrays, got: DetectionArrays, tolerance: Tolerance, *, confidence: float, iou: float
) -> DetectionMatch:
    """Pair two lists of objects of one picture and measure the pairs.

    An object without a partner is excused only where its score, its overlap with a kept one, or its rank at the
    limit of rows lies within tolerance of the threshold that decides about it.
    """
    if broken := [f"{name} has NaN or infinite rows" for name, o in (("wanted", want), ("got", got)) if not o.finite]:
        return DetectionMatch(0, 0, (), np.inf, np.inf, np.inf, None, {"finite": " and ".join(broken)}, mask=np.inf)
    pairs = assign_pairs(want, got)
    taken = set(pairs.values())
    lonely = [("wanted", want, i, got) for i in range(len(want)) if i not in pairs]
    lonely += [("got", got, j, want) for j in range(len(got)) if j not in taken]
    accused = tuple(
        f"{name} only: {side.describe(i)}"
        for name, side, i, other in lonely
        if not is_near_threshold(side, i, other, tolerance, confidence, iou)
    )
    left, right = want.take(list(pairs)), got.take(list(pairs.values()))
    pair_distances = measure_pairs(left, right)
    score, box, keypoint, mask = (
        _max_distance(each)
        for each in (pair_distances.score, pair_distances.box, pair_distances.keypoint, pair_distances.mask)
    )
    problems = {
        name: _describe_worst_pair(left, right, each)
        for name, each, allowed in (
            ("score", pair_distances.score, tolerance.score),
            ("box", pair_distances.box, tolerance.pixels),
            ("keypoint", pair_distances.keypoint, tolerance.pixels),
            ("mask", pair_distances.mask, tolerance.mask),
        )
        if _max_distance(each) > allowed
    }
    return DetectionMatch(
        len(pairs),
        len(lonely) - len(accused),
        accused,
        score,
        box,
        keypoint,
        pair_distances.min_oks,
        problems,
        mask=mask,
        masks=int(np.count_nonzero(pair_distances.cells)),
        min_mask_iou=float(pair_distances.mask_iou.min()) if pair_distances.mask_iou.size else None,
        rms={name: _rms(getattr(pair_distances, name)) for name in ("score", "box", "keypoint", "mask")},
        partners=pairs,
    )


def _max_distance(distances: Floats) -> float:
    return float(distances.max(initial=0.0))


def _rms(distances: Floats) -> float:
    return float(np.sqrt(np.mean(distances**2))) if distances.size else 0.0


def _describe_worst_pair(left: DetectionArrays, right: DetectionArrays, distances: Floats) -> str:
    """Name the pair that differs most, as each side has it."""
    index = int(distances.argmax())
    return f"detection {index}: wanted {left.describe(index)}, got {right.describe(index)}"
