"""Distances between matched objects, quantity by quantity."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.tasks.decoding.boxes import box_areas
from webbuild.tasks.decoding.mask import mask_difference
from webbuild.tasks.decoding.rotated_boxes import corner_distances
from webbuild.tasks.metrics.detection_arrays import DetectionArrays, Floats
from webbuild.tasks.recognition import coco_keypoints


class PairDistances(Struct, frozen=True):
    """The largest distances in each pair [n]: of scores and confidences, of corners, of keypoints, of masks.

    `cells` is the union of a pair's masks in cells, `mask_iou` their IoU.
    """

    score: Floats
    box: Floats
    keypoint: Floats
    mask: Floats
    mask_iou: Floats
    cells: Floats
    min_oks: float | None


def measure_pairs(a: DetectionArrays, b: DetectionArrays) -> PairDistances:
    """Return the distances between object i of `a` and object i of `b`; both have the same length."""
    apart = np.linalg.norm(a.keypoints[..., :2] - b.keypoints[..., :2], axis=-1)
    confidence = np.abs(a.keypoints[..., 2:] - b.keypoints[..., 2:]).max(axis=(1, 2), initial=0.0)
    differing, cells = _mask_differences(a, b)
    union = np.maximum(cells, 1)
    return PairDistances(
        score=np.maximum(np.abs(a.scores - b.scores), confidence),
        box=_box_distances(a, b),
        keypoint=apart.max(axis=1, initial=0.0),
        mask=np.maximum(differing - 1, 0) / union,
        mask_iou=1 - differing / union,
        cells=cells,
        min_oks=_oks(apart, box_areas(a.boxes)),
    )


def _box_distances(a: DetectionArrays, b: DetectionArrays) -> Floats:
    if a.corners is not None and b.corners is not None:
        return corner_distances(a.corners, b.corners)
    largest: Floats = np.abs(a.boxes - b.boxes).max(axis=1, initial=0.0)
    return largest


def _mask_differences(a: DetectionArrays, b: DetectionArrays) -> tuple[Floats, Floats]:
    """Return the symmetric difference and the union of each pair's masks in cells, [n] each; [0] without masks."""
    if not a.masks or not b.masks:
        return np.zeros(0), np.zeros(0)
    counted = [mask_difference(first, second) for first, second in zip(a.masks, b.masks, strict=True)]
    table = np.array(counted, np.float64).reshape(len(counted), 2)
    return table[:, 0], table[:, 1]


def _oks(distance: NDArray[Any], areas: NDArray[Any]) -> float | None:
    """Return the smallest object keypoint similarity (OKS), None if the keypoints are not COCO's."""
    if distance.shape[1] != len(coco_keypoints.OKS_SIGMAS) or not len(distance):
        return None
    scale = 2 * (2 * coco_keypoints.OKS_SIGMAS) ** 2 * np.maximum(areas, 1e-9)[:, None]
    return float(np.exp(-(distance**2) / scale).mean(axis=1).min())
