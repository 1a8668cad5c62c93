"""How much boxes overlap: IoU of upright ones, ProbIoU (arXiv 2106.06072) of rotated ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.tracking.kalman import Array


def overlaps(first: Sequence[Array] | Array, second: Array) -> Array:
    """[N, M] of boxes `[cx, cy, width, height, angle]`, [N, 5] and [M, 5]."""
    one, other = np.asarray(first, np.float64).reshape(-1, 1, 5), np.asarray(second).reshape(1, -1, 5)
    low = np.maximum(one[..., :2] - reach(one), other[..., :2] - reach(other))
    high = np.minimum(one[..., :2] + reach(one), other[..., :2] + reach(other))
    both = np.prod(np.maximum(high - low, 0), axis=-1)
    upright = both / (area(one) + area(other) - both)
    rotated = np.where(both > 0, prob_iou(one, other), 0)
    return np.where(np.isnan(one[..., 4]) | np.isnan(other[..., 4]), upright, rotated)


def area(box: Array) -> Array:
    """Width times height of each."""
    return np.asarray(box[..., 2] * box[..., 3])


def reach(box: Array) -> Array:
    """Half the sides of the upright box around each."""
    cosine, sine = np.abs(np.cos(np.nan_to_num(box[..., 4]))), np.abs(np.sin(np.nan_to_num(box[..., 4])))
    width, height = box[..., 2], box[..., 3]
    return np.stack([width * cosine + height * sine, width * sine + height * cosine], -1) / 2


def prob_iou(one: Array, other: Array) -> Array:
    """1 - the Hellinger distance of the normal distributions that stand for the boxes."""
    (a1, b1, c1), (a2, b2, c2) = covariance(one), covariance(other)
    a, b, c = a1 + a2, b1 + b2, c1 + c2
    dx, dy = one[..., 0] - other[..., 0], one[..., 1] - other[..., 1]
    joint = a * b - c**2
    own = np.maximum(a1 * b1 - c1**2, 0) * np.maximum(a2 * b2 - c2**2, 0)
    far = (a * dy**2 + b * dx**2) / (joint + 1e-7) / 4 - c * dx * dy / (joint + 1e-7) / 2
    distance = np.clip(far + np.log(joint / (4 * np.sqrt(own) + 1e-7) + 1e-7) / 2, 1e-7, 100)
    return np.asarray(np.maximum(1 - np.sqrt(1 - np.exp(-distance) + 1e-7), 0))


def covariance(box: Array) -> tuple[Array, Array, Array]:
    """Of x, of y, of both: of the normal distribution that stands for each box."""
    along, down = box[..., 2] ** 2 / 12, box[..., 3] ** 2 / 12
    cosine, sine = np.cos(box[..., 4]), np.sin(box[..., 4])
    return along * cosine**2 + down * sine**2, along * sine**2 + down * cosine**2, (along - down) * cosine * sine
