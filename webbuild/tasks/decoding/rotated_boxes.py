"""Rotated boxes by their corners: corners from rows, distances, and ProbIoU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_EPSILON = 1e-7
"""Part of Ultralytics' formula; it keeps the result finite."""


def row_corners(rows: NDArray[Any]) -> NDArray[np.float64]:
    """Return the corners [n, 4, 2] of rows [n, 7] of an obb task.

    The first is the upper left corner before the rotation; the others follow along the width, then along the height.
    """
    center, size = rows[:, None, :2].astype(np.float64), rows[:, 2:4].astype(np.float64) / 2
    cosine, sine = np.cos(rows[:, 6].astype(np.float64)), np.sin(rows[:, 6].astype(np.float64))
    along = np.stack([size[:, 0] * cosine, size[:, 0] * sine], axis=-1)[:, None]
    down = np.stack([-size[:, 1] * sine, size[:, 1] * cosine], axis=-1)[:, None]
    corners: NDArray[np.float64] = center + along * [[-1], [1], [1], [-1]] + down * [[-1], [-1], [1], [1]]
    return corners


def corner_distances(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """Return the largest coordinate difference between the corners [n, 4, 2] of each pair of boxes -> [n].

    Which corner comes first does not matter: rotating a box by 90 degrees and swapping its sides gives the same box.
    """
    turned = [np.abs(first - np.roll(second, turn, axis=1)).max(axis=(1, 2)) for turn in range(4)]
    nearest: NDArray[np.float64] = np.min(turned, axis=0)
    return nearest


def probiou_matrix(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """Return the ProbIoU of boxes by their corners [n, 4, 2] and [m, 4, 2] -> [n, m], as in the model's NMS.

    1 minus the Hellinger distance of the boxes as normal distributions, as Ultralytics computes it
    ("Gaussian Bounding Boxes and Probabilistic Intersection-over-Union", arXiv 2106.06072).
    """
    (x1, y1, a1, b1, c1), (x2, y2, a2, b2, c2) = (_box_covariances(corners) for corners in (first, second))
    dx, dy = x1[:, None] - x2, y1[:, None] - y2
    a, b, c = a1[:, None] + a2, b1[:, None] + b2, c1[:, None] + c2
    joint = np.clip(a * b - c**2, 0, None)
    own = np.clip(a1 * b1 - c1**2, 0, None)[:, None] * np.clip(a2 * b2 - c2**2, 0, None)
    centre_term = (a * dy**2 + b * dx**2) / (joint + _EPSILON) / 4 - c * dx * dy / (joint + _EPSILON) / 2
    shape_term = np.log(joint / (4 * np.sqrt(own) + _EPSILON) + _EPSILON) / 2
    distance = np.clip(centre_term + shape_term, _EPSILON, 100)
    overlap: NDArray[np.float64] = 1 - np.sqrt(1 - np.exp(-distance) + _EPSILON)
    return overlap


def _box_covariances(corners: NDArray[Any]) -> tuple[NDArray[np.float64], ...]:
    """Return each box's centre x and y, the variances of x and y, and their covariance: [n] each."""
    center = corners.mean(axis=1)
    sides = np.stack([corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0]], axis=1)
    x, y = sides[..., 0], sides[..., 1]
    return center[:, 0], center[:, 1], (x**2).sum(1) / 12, (y**2).sum(1) / 12, (x * y).sum(1) / 12
