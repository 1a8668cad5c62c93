"""Minimum-area rectangles around points, as OpenCV's `minAreaRect` finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def smallest_rectangle(hull: NDArray[Any], margin: float = 0.0) -> tuple[Floats, float]:
    """Return the corners [4, 2] and the shorter side of the smallest rectangle around a convex polygon [n, 2].

    One side of the rectangle is along a side of the polygon. Ties go to the largest angle of that side, in 0..90
    degrees; pixel coordinates are integers, so ties are exact. With a `margin` the polygon is first grown by that much.
    """
    points = np.asarray(hull, np.float64)
    edges = np.roll(points, -1, axis=0) - points if len(points) > 1 else np.array([[1.0, 0.0]])
    for _ in range(3):  # rotate each edge by quarter turns until it points to the right
        edges = np.where((edges[:, :1] > 0) & (edges[:, 1:] >= 0), edges, _quarter(edges))
    square = (edges**2).sum(axis=1)
    grown = margin * np.sqrt(square)
    along, across = points @ edges.T, points @ _quarter(edges).T  # [n, edges], each times the edge's length
    left, right = along.min(axis=0) - grown, along.max(axis=0) + grown  # [edges]
    top, bottom = across.min(axis=0) - grown, across.max(axis=0) + grown
    areas = (right - left) * (bottom - top) / square
    slopes = edges[:, 1] / edges[:, 0]
    at = max(np.flatnonzero(areas == areas.min()), key=lambda index: slopes[index])
    x, y = edges[at]
    ends = [(left[at], top[at]), (right[at], top[at]), (right[at], bottom[at]), (left[at], bottom[at])]
    corners = np.array([(a * x - b * y, a * y + b * x) for a, b in ends]) / square[at]
    return corners, float(min(right[at] - left[at], bottom[at] - top[at]) / np.sqrt(square[at]))


def _quarter(vectors: Floats) -> Floats:
    """Return vectors [n, 2] rotated by 90 degrees, clockwise on a screen: (x, y) -> (-y, x)."""
    return np.stack([-vectors[:, 1], vectors[:, 0]], axis=1)
