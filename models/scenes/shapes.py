"""Signed distances to the named shapes, negative inside, in units of their radius.

The formula for the triangle is Inigo Quilez' (https://iquilezles.org/articles/distfunctions2d).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float32]]
Distance = Callable[[Array, Array], Array]
"""From x (right) and y (down), both [h, w], to the distance [h, w]."""


def circle(x: Array, y: Array) -> Array:
    """A full disc."""
    return np.hypot(x, y) - np.float32(0.95)


def ring(x: Array, y: Array) -> Array:
    """A disc with a hole of almost half its radius."""
    return np.abs(np.hypot(x, y) - np.float32(0.7)) - np.float32(0.25)


def box(x: Array, y: Array, width: float, height: float) -> Array:
    """A rectangle of half `width` and half `height`."""
    beside, above = np.abs(x) - np.float32(width), np.abs(y) - np.float32(height)
    outside = np.hypot(np.maximum(beside, 0), np.maximum(above, 0))
    return outside + np.minimum(np.maximum(beside, above), 0)


def square(x: Array, y: Array) -> Array:
    """A square of side 1.6."""
    return box(x, y, 0.8, 0.8)


def cross(x: Array, y: Array) -> Array:
    """A plus sign."""
    return np.minimum(box(x, y, 0.95, 0.3), box(x, y, 0.3, 0.95))


def triangle(x: Array, y: Array) -> Array:
    """An equilateral triangle, point up."""
    root, half = np.float32(3**0.5), np.float32(0.88)
    x, y = np.abs(x) - half, np.float32(0.28) - y + half / root
    beyond = x + root * y > 0
    x, y = np.where(beyond, (x - root * y) / 2, x), np.where(beyond, (-root * x - y) / 2, y)
    x = x - np.clip(x, -2 * half, 0)
    return -np.hypot(x, y) * np.sign(y)


def star(x: Array, y: Array) -> Array:
    """A star of five points, one of them up."""
    fifth = np.float32(2 * np.pi / 5)
    away, angle = np.hypot(x, y), np.arctan2(x, -y)
    angle = np.abs(angle - fifth * np.round(angle / fifth))  # one half of one point, its tip at angle 0
    up, aside = away * np.cos(angle), away * np.sin(angle)
    edge_up, edge_aside = np.float32(0.45 * np.cos(fifth / 2) - 1), np.float32(0.45 * np.sin(fifth / 2))
    along = np.clip(((up - 1) * edge_up + aside * edge_aside) / (edge_up**2 + edge_aside**2), 0, 1)
    outside = np.sign((up - 1) * edge_aside - aside * edge_up)
    return np.hypot(up - 1 - edge_up * along, aside - edge_aside * along) * outside


DISTANCES: dict[str, Distance] = {
    "circle": circle,
    "square": square,
    "triangle": triangle,
    "star": star,
    "ring": ring,
    "cross": cross,
}


def coverage(shape: str, grid: tuple[Array, Array], centre: tuple[float, float], radius: float, turn: float) -> Array:
    """Return a shape's coverage of every pixel, [h, w] from 0 to 1.

    Args:
        shape: one of `DISTANCES`.
        grid: x and y of the pixels' centres, [h, w] each.
        centre: x and y in pixels.
        radius: in pixels.
        turn: clockwise, in radians.
    """
    across, down = grid[0] - np.float32(centre[0]), grid[1] - np.float32(centre[1])
    cos, sin = np.float32(np.cos(turn) / radius), np.float32(np.sin(turn) / radius)
    distance = DISTANCES[shape](cos * across + sin * down, cos * down - sin * across)
    covered: Array = np.clip(np.float32(0.5) - distance * np.float32(radius), 0, 1).astype(np.float32)
    return covered
