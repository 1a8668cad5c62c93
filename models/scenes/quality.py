"""Metrics of boxes and segments: average precision and panoptic quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from models.average_precision import average_precision, matches

Array = np.ndarray[Any, np.dtype[Any]]


def overlaps(found: Array, truth: Array) -> Array:
    """Return the intersection over union [n, m] of boxes [n, 4] and [m, 4], x1 y1 x2 y2."""
    low = np.maximum(found[:, None, :2], truth[None, :, :2])
    high = np.minimum(found[:, None, 2:], truth[None, :, 2:])
    shared = (high - low).clip(0).prod(-1)
    areas = [(boxes[:, 2:] - boxes[:, :2]).clip(0).prod(-1) for boxes in (found, truth)]
    return np.asarray(shared / np.maximum(areas[0][:, None] + areas[1][None] - shared, 1e-9))


@dataclass(frozen=True)
class Boxes:
    """Boxes [n, 4] of one picture with their classes [n] and, for detections, their scores [n]."""

    boxes: Array
    classes: Array
    scores: Array = field(default_factory=lambda: np.zeros(0))


def mean_average_precision(found: Sequence[Boxes], truth: Sequence[Boxes], thresholds: Sequence[float]) -> float:
    """Return the area under the precision-recall curve, averaged over the true classes and over `thresholds`."""
    values = []
    for kind in np.unique(np.concatenate([one.classes for one in truth])):
        scores = np.concatenate([one.scores[one.classes == kind] for one in found])
        likeness = []
        for ours, theirs in zip(found, truth, strict=True):
            order = np.argsort(-ours.scores[ours.classes == kind], kind="stable")
            likeness.append((order, overlaps(ours.boxes[ours.classes == kind], theirs.boxes[theirs.classes == kind])))
        count = sum(int((one.classes == kind).sum()) for one in truth)
        for threshold in thresholds:
            right = []
            for order, overlap in likeness:
                hits = np.zeros(len(order), bool)
                hits[order] = matches(overlap[order], threshold)
                right.append(hits)
            values.append(average_precision(np.concatenate(right), scores, count))
    return float(np.mean(values))


@dataclass
class Panoptic:
    """Counts of segments of one class over all pictures."""

    overlap: float = 0.0
    hits: int = 0
    false: int = 0
    missed: int = 0

    @property
    def quality(self) -> float:
        """PQ: the sum of matched IoUs / (matched + half of the false and of the missed segments)."""
        return self.overlap / max(self.hits + (self.false + self.missed) / 2, 1e-9)


Segment = tuple[int, Array]
"""The class, and the mask [h, w]."""


def count(found: Sequence[Segment], truth: Sequence[Segment], sums: dict[int, Panoptic]) -> None:
    """Add one picture. Segments match if they have the same class and an IoU above 0.5, which makes matches unique."""
    free = list(found)
    for kind, mask in truth:
        tally = sums.setdefault(kind, Panoptic())
        shares = [(mask & own).sum() / (mask | own).sum() if other == kind else 0.0 for other, own in free]
        best = int(np.argmax(shares)) if shares else -1
        if best >= 0 and shares[best] > 0.5:
            tally.hits, tally.overlap = tally.hits + 1, tally.overlap + float(shares[best])
            free.pop(best)
        else:
            tally.missed += 1
    for kind, _ in free:
        sums.setdefault(kind, Panoptic()).false += 1
