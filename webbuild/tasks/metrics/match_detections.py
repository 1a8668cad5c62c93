"""Match two lists of detections: paired by class and overlap, then measured."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.metrics.assignment import assign_pairs, is_near_threshold
from webbuild.tasks.metrics.detection_arrays import DetectionArrays, Floats
from webbuild.tasks.metrics.detection_metrics import measure_pairs


class DetectionMatch(Struct, frozen=True):
    """The comparison of two results of one picture, object by object.

    `pairs` is the number of matched objects. `near_threshold` objects have no partner, but are within tolerance of a
    threshold; `unmatched` describes the others. `problems` describes the worst pair by quantity, if it is too far
    apart. Distances are the largest over all pairs, `rms` the root mean squares by quantity. `masks` is the number of
    pairs with non-empty masks. `partners` has the indices of the pairs.
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
        """Whether the results match. True also if both are empty: see `pairs`."""
        return not self.unmatched and not self.problems


def match_detections(
    want: DetectionArrays, got: DetectionArrays, tolerance: Tolerance, *, confidence: float, iou: float
) -> DetectionMatch:
    """Pair two lists of objects of one picture and measure the pairs.

    An object without a partner is excused only within tolerance of a threshold: of the score, of the IoU with another
    object, or of the lowest score if all rows are full.
    """
    if broken := [f"{name} has NaN or infinite rows" for name, o in (("wanted", want), ("got", got)) if not o.finite]:
        return DetectionMatch(
            pairs=0,
            near_threshold=0,
            unmatched=(),
            score=np.inf,
            box=np.inf,
            keypoint=np.inf,
            min_oks=None,
            problems={"finite": " and ".join(broken)},
            mask=np.inf,
        )
    pairs = assign_pairs(want, got)
    paired = set(pairs.values())
    unpaired = [("wanted", want, i, got) for i in range(len(want)) if i not in pairs]
    unpaired += [("got", got, j, want) for j in range(len(got)) if j not in paired]
    unmatched = tuple(
        f"{name} only: {side.describe(i)}"
        for name, side, i, other in unpaired
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
        pairs=len(pairs),
        near_threshold=len(unpaired) - len(unmatched),
        unmatched=unmatched,
        score=score,
        box=box,
        keypoint=keypoint,
        min_oks=pair_distances.min_oks,
        problems=problems,
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
    """Return both sides of the pair that differs most as text."""
    index = int(distances.argmax())
    return f"detection {index}: wanted {left.describe(index)}, got {right.describe(index)}"
