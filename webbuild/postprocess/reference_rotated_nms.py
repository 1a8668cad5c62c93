"""NumPy reference of Ultralytics' NMS of rotated boxes, in which a suppressed box still suppresses others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_EPSILON = np.float32(1e-7)


def rotated_nms(boxes: Floats, iou: np.float32, most: int, labels: Floats | None = None) -> list[int]:
    """Return the indices of at most `most` boxes that no better box overlaps, from boxes [n, 5] sorted best first.

    A box is centre x, centre y, width, height, angle. With `labels` [n] only boxes of the same label suppress each
    other.
    """
    kept: list[int] = []
    moments = _box_covariances(boxes)
    for index in range(len(boxes)):
        if len(kept) == most:
            break
        over = _probiou(moments[:index], moments[index]) > iou
        if not (over if labels is None else over & (labels[:index] == labels[index])).any():
            kept.append(index)
    return kept


def pairwise_overlaps(boxes: Floats) -> Floats:
    """Return the pairwise probabilistic IoU of boxes: [n, 5] -> [n, n]."""
    moments = _box_covariances(boxes)
    return np.stack([_probiou(moments, one) for one in moments], 1)


def _box_covariances(boxes: Floats) -> Floats:
    """Return boxes [n, 5] as normal distributions [n, 5]: centre x y, variances along x and y, covariance."""
    along, down = (boxes[:, 2] ** 2 / np.float32(12), boxes[:, 3] ** 2 / np.float32(12))
    cosine, sine = np.cos(boxes[:, 4]), np.sin(boxes[:, 4])
    a = along * cosine**2 + down * sine**2
    b = along * sine**2 + down * cosine**2
    return np.stack([boxes[:, 0], boxes[:, 1], a, b, (along - down) * cosine * sine], 1)


def _probiou(others: Floats, one: Floats) -> Floats:
    """Return 1 minus the Hellinger distance of each of `others` [n, 5] to `one` [5], as [n].

    "Gaussian Bounding Boxes and Probabilistic Intersection-over-Union", arXiv 2106.06072.
    """
    x1, y1, a1, b1, c1 = others.T
    x2, y2, a2, b2, c2 = one
    a, b, c = a1 + a2, b1 + b2, c1 + c2
    joint = a * b - c**2
    far = (a * (y1 - y2) ** 2 + b * (x1 - x2) ** 2) / (joint + _EPSILON) * np.float32(0.25)
    askew = c * (x2 - x1) * (y1 - y2) / (joint + _EPSILON) * np.float32(0.5)
    own = np.maximum(a1 * b1 - c1**2, 0) * np.maximum(a2 * b2 - c2**2, 0)
    unlike = np.log(joint / (4 * np.sqrt(own) + _EPSILON) + _EPSILON) * np.float32(0.5)
    distance = np.clip(far + askew + unlike, _EPSILON, np.float32(100))
    overlap: Floats = 1 - np.sqrt(1 - np.exp(-distance) + _EPSILON)
    return overlap
