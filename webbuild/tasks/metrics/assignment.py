"""Match the objects of two results."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.boxes import iou_matrix
from webbuild.tasks.decoding.rotated_boxes import probiou_matrix
from webbuild.tasks.metrics.detection_arrays import DetectionArrays, Floats


def _pairwise_overlap(a: DetectionArrays, b: DetectionArrays) -> Floats:
    """Return the overlap [n, m] of every box of `a` with every box of `b`, by the same measure as the NMS."""
    if a.corners is not None and b.corners is not None:
        return probiou_matrix(a.corners, b.corners)
    return iou_matrix(a.boxes, b.boxes)


def assign_pairs(a: DetectionArrays, b: DetectionArrays) -> dict[int, int]:
    """Pair objects of the same class greedily, largest overlap first, with an overlap of at least one half.

    A box without area, such as one clamped to the picture's edge, overlaps nothing, not even itself. Two such boxes are
    paired if they are within one pixel.
    """
    near = np.abs(a.boxes[:, None] - b.boxes[None]).max(axis=-1, initial=0.0) <= 1
    any_class = np.where(_has_no_area(a)[:, None] & _has_no_area(b) & near, 1.0, _pairwise_overlap(a, b))
    overlap = any_class * (a.classes[:, None] == b.classes)
    closeness = overlap - np.abs(a.scores[:, None] - b.scores)  # between equal boxes, scores decide
    partners: dict[int, int] = {}
    for flat in np.argsort(-closeness, axis=None, kind="stable"):
        i, j = (int(index) for index in divmod(int(flat), max(1, len(b))))
        if overlap[i, j] >= 0.5 and i not in partners and j not in partners.values():
            partners[i] = j
    return dict(sorted(partners.items()))


def _has_no_area(objects: DetectionArrays) -> NDArray[np.bool_]:
    return np.asarray((objects.boxes[:, 2:] <= objects.boxes[:, :2]).any(axis=-1))


def is_near_threshold(
    side: DetectionArrays, index: int, other: DetectionArrays, tolerance: Tolerance, confidence: float, iou: float
) -> bool:
    """Whether an object without a partner is within tolerance of a threshold, so that rounding may have removed it.

    The thresholds are the score's, the IoU's with another object of its class, and the lowest score if rows are full.
    """
    score, label, unpaired = side.scores[index], side.classes[index], side.take([index])
    if abs(score - confidence) <= tolerance.score:
        return True
    siblings = side.take([i for i in range(len(side)) if i != index])
    for rivals in (siblings, other):
        if np.any(np.abs(_pairwise_overlap(unpaired, rivals)[0] - iou)[rivals.classes == label] <= tolerance.iou):
            return True
    return len(other) == side.capacity and abs(score - other.scores.min()) <= tolerance.score
