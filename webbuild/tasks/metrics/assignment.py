"""Assignment of the objects of one result to those of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.boxes import iou_matrix
from webbuild.tasks.decoding.rotated_boxes import probiou_matrix
from webbuild.tasks.metrics.detection_arrays import DetectionArrays, Floats


def pairwise_overlap(a: DetectionArrays, b: DetectionArrays) -> Floats:
    """Return the overlap [n, m] of every box of one with every box of the other, by the measure of suppression."""
    if a.corners is not None and b.corners is not None:
        return probiou_matrix(a.corners, b.corners)
    return iou_matrix(a.boxes, b.boxes)


def assign_pairs(a: DetectionArrays, b: DetectionArrays) -> dict[int, int]:
    """Pair objects of one class greedily, largest overlap first, above an overlap of one half.

    A box without area, such as one that was cut off at the edge, overlaps nothing, itself included. Those pair where
    they lie within a pixel.
    """
    near = np.abs(a.boxes[:, None] - b.boxes[None]).max(axis=-1, initial=0.0) <= 1
    alike = np.where(_has_no_area(a)[:, None] & _has_no_area(b) & near, 1.0, pairwise_overlap(a, b))
    overlap = alike * (a.classes[:, None] == b.classes)
    closeness = overlap - np.abs(a.scores[:, None] - b.scores)  # equal boxes: the equal score decides
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
    """Whether an object without a partner lies within tolerance of a threshold that decides about it.

    Those are the score's, its overlap's with an object that was kept, and its rank's at the limit of rows.
    """
    score, label, lonely = side.scores[index], side.classes[index], side.take([index])
    if abs(score - confidence) <= tolerance.score:
        return True
    siblings = side.take([i for i in range(len(side)) if i != index])
    for rivals in (siblings, other):
        if np.any(np.abs(pairwise_overlap(lonely, rivals)[0] - iou)[rivals.classes == label] <= tolerance.iou):
            return True
    return len(other) == side.capacity and abs(score - other.scores.min()) <= tolerance.score
