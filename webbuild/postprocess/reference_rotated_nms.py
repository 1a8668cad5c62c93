"""Ultralytics' suppression of rotated boxes in plain numpy: a suppressed box still suppresses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_EPSILON = np.float32(1e-7)


def rotated_nms(candidates: Floats, iou: np.float32, most: int, agnostic: bool) -> list[int]:
    """Return the indices of the candidates [n, 7], best first, that none of the better ones overlaps, `most` at most.

    A row holds centre x, centre y, width, height, score, class and angle.
    """
    kept: list[int] = []
    moments = _box_covariances(candidates)
    for index in range(len(candidates)):
        if len(kept) == most:
            break
        same = agnostic | (candidates[:index, 5] == candidates[index, 5])
        if not (same & (_probiou(moments[:index], moments[index]) > iou)).any():
            kept.append(index)
    return kept


def _box_covariances(rows: Floats) -> Floats:
    """Return centre x, y, the variances along x and y, and their covariance [n, 5]: boxes as normal distributions."""
    along, down = (rows[:, 2] ** 2 / np.float32(12), rows[:, 3] ** 2 / np.float32(12))
    cosine, sine = np.cos(rows[:, 6]), np.sin(rows[:, 6])
    a = along * cosine**2 + down * sine**2
    b = along * sine**2 + down * cosine**2
    return np.stack([rows[:, 0], rows[:, 1], a, b, (along - down) * cosine * sine], 1)


def _probiou(others: Floats, one: Floats) -> Floats:
    """Return 1 minus the Hellinger distance of each of `others` [n, 5] to `one` [5] -> [n].

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
