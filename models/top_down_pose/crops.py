"""Crop a person as mmpose does: an affine warp of the box, a quarter larger, with the crop's aspect ratio."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.average_precision import Array
from models.scenes.picture import Pixels

HEIGHT, WIDTH = 128, 96
POINTS = 17
BINS = 2
"""Bins per pixel of the crop, in each direction."""

ROOM = 1.25
"""Size of the crop relative to the box."""


def placed(box: Array, room: float = ROOM) -> tuple[Array, Array]:
    """Return the centre and the size of the crop's region, from x1 y1 x2 y2."""
    middle, size = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) * room
    aspect = WIDTH / HEIGHT
    size = np.array([max(size[0], size[1] * aspect), max(size[1], size[0] / aspect)])
    return middle, size


def warp(middle: Array, size: Array, turn: float = 0.0, mirrored: bool = False) -> Array:
    """Return the matrix [2, 3] from the picture's pixels to the crop's."""
    cos, sin, scale = np.cos(turn), np.sin(turn), WIDTH / size[0]
    matrix = scale * np.array([[cos, sin], [-sin, cos]])
    if mirrored:
        matrix[0] *= -1
    shift = np.array([WIDTH / 2, HEIGHT / 2]) - matrix @ middle
    return np.column_stack([matrix, shift])


def crop(image: Pixels, matrix: Array) -> Pixels:
    """Return the crop, RGB [HEIGHT, WIDTH, 3], black outside the picture."""
    import cv2

    cut: Any = cv2.warpAffine(np.ascontiguousarray(image), matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
    return np.asarray(cut, np.uint8)


def moved(points: Array, matrix: Array) -> Array:
    """Return points [..., 2] transformed by a matrix [2, 3]."""
    return np.asarray(points @ matrix[:, :2].T + matrix[:, 2])


def decoded(along_x: Array, along_y: Array, middle: Array, size: Array) -> tuple[Array, Array]:
    """Bins [n, 17, ...] of crops -> points [n, 17, 2] in the pictures, and confidences [n, 17]."""
    place = np.stack([along_x.argmax(-1), along_y.argmax(-1)], -1) / BINS
    confidence = (along_x.max(-1) + along_y.max(-1)) / 2
    corner = (middle - size / 2)[:, None]
    return corner + place * (size / (WIDTH, HEIGHT))[:, None], confidence
