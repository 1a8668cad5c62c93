"""Average precision of detections as defined by COCO."""

from collections.abc import Callable, Sequence

import numpy as np

from models.average_precision import average_precision, matches
from models.people.scene import Array, Label
from models.yolo_pose.detector import Found

SIGMAS = np.array(
    [26, 25, 25, 35, 35, 79, 79, 72, 72, 62, 62, 107, 107, 87, 87, 89, 89], dtype=float
) / 1000  # fmt: skip
BODY_SHARE = 0.53  # share of a box that a body covers, as Ultralytics estimates the area

Similarity = Callable[[Found, Sequence[Label]], Array]


def box_overlap(found: Found, labels: Sequence[Label]) -> Array:
    """Return the intersection over union [found, labels] of every detection with every label."""
    truth = np.array([label.box for label in labels]).reshape(1, -1, 4)
    boxes = found.boxes[:, None]
    low, high = (
        np.maximum(boxes[..., :2], truth[..., :2]),
        np.minimum(boxes[..., 2:], truth[..., 2:]),
    )
    shared = (high - low).clip(0).prod(-1)
    areas = (boxes[..., 2:] - boxes[..., :2]).prod(-1) + (truth[..., 2:] - truth[..., :2]).prod(-1)
    return np.asarray(shared / np.maximum(areas - shared, 1e-9))


def keypoint_similarity(found: Found, labels: Sequence[Label]) -> Array:
    """Return the object keypoint similarity with COCO's sigmas, over points inside the picture."""
    scores = np.zeros((len(found.scores), len(labels)))
    for column, label in enumerate(labels):
        labelled = label.keypoints[:, 2] > 0
        area = (label.box[2:] - label.box[:2]).prod() * BODY_SHARE
        offsets = found.keypoints[:, :, :2] - label.keypoints[:, :2]
        distance = (offsets**2).sum(-1) / (2 * SIGMAS) ** 2 / (2 * area)
        scores[:, column] = np.exp(-distance)[:, labelled].mean(1) if labelled.any() else 0.0
    return scores


def mean_precision(
    found: Sequence[Found], labels: Sequence[Sequence[Label]], similarity: Similarity,
    thresholds: Sequence[float],
) -> float:  # fmt: skip
    """Return the average precision over all pictures, averaged over `thresholds`."""
    scores = np.concatenate([one.scores for one in found])
    likeness = [similarity(one, truth) for one, truth in zip(found, labels, strict=True)]
    people = sum(map(len, labels))
    precisions = [
        average_precision(np.concatenate([matches(one, t) for one in likeness]), scores, people) for t in thresholds
    ]
    return float(np.mean(precisions))
