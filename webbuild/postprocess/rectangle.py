"""Rectangles of the smallest area around points, as OpenCV's `minAreaRect` finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def smallest_rectangle(hull: NDArray[Any], margin: float = 0.0) -> tuple[Floats, float]:
    """Return the corners [4, 2] and the shorter side of the smallest rectangle around a convex polygon [n, 2].

    One of its sides lies along a side of the polygon. Of equally small ones it is the last, by that side's angle from 0
    to a quarter turn: numbers of a bitmap are whole, so equal areas are equal. With a `margin` it is around the polygon
    with a round border that wide.
    """
    points = np.asarray(hull, np.float64)
    edges = np.roll(points, -1, axis=0) - points if len(points) > 1 else np.array([[1.0, 0.0]])
    for _ in range(3):  # a rectangle's sides point to the right, down, left and up: the first is taken
        edges = np.where((edges[:, :1] > 0) & (edges[:, 1:] >= 0), edges, _quarter(edges))
    square = (edges**2).sum(axis=1)
    grown = margin * np.sqrt(square)
    along, across = points @ edges.T, points @ _quarter(edges).T  # [n, edges], each times the edge's length
    left, right = along.min(axis=0) - grown, along.max(axis=0) + grown
    top, bottom = across.min(axis=0) - grown, across.max(axis=0) + grown
    areas = (right - left) * (bottom - top) / square
    slopes = edges[:, 1] / edges[:, 0]
    at = max(np.flatnonzero(areas == areas.min()), key=lambda index: slopes[index])
    x, y = edges[at]
    ends = [(left[at], top[at]), (right[at], top[at]), (right[at], bottom[at]), (left[at], bottom[at])]
    corners = np.array([(a * x - b * y, a * y + b * x) for a, b in ends]) / square[at]
    return corners, float(min(right[at] - left[at], bottom[at] - top[at]) / np.sqrt(square[at]))


def _quarter(vectors: Floats) -> Floats:
    """Return vectors [n, 2] turned by a quarter, clockwise on a screen: (x, y) -> (-y, x)."""
    return np.stack([-vectors[:, 1], vectors[:, 0]], axis=1)
