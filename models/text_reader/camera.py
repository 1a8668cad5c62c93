"""Camera effects: perspective, uneven light, blur, noise and compression."""

from __future__ import annotations

import cv2
import numpy as np

from models.text_reader.surfaces import clouds

Size = tuple[int, int]
"""Height and width in pixels."""


def moved(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Return points [n, 2] transformed by a matrix [3, 3]."""
    flat = np.concatenate([points, np.ones((len(points), 1))], 1) @ matrix.T
    return np.asarray(flat[:, :2] / flat[:, 2:])


def view(rng: np.random.Generator, canvas: Size, size: Size, turn: float, bend: float) -> np.ndarray:
    """Return a perspective matrix from a canvas to a picture that it fills, rotated by about `turn` radians."""
    high, wide = canvas
    middle = np.array([wide, high]) / 2
    angle, zoom = rng.normal(0, turn), min(size[0] / high, size[1] / wide) * rng.uniform(1.0, 1.15)
    cosine, sine = np.cos(angle) * zoom, np.sin(angle) * zoom
    corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float64)
    target = (corners - middle) @ np.array([[cosine, sine], [-sine, cosine]]) + np.array([size[1], size[0]]) / 2
    target += rng.normal(0, bend, (4, 2)) * min(size)
    return np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), target.astype(np.float32)))


def light(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
    """Return a picture [h, w, 3] with soft and hard shadows and a lamp's falloff."""
    high, wide = image.shape[:2]
    factor = np.ones((high, wide), np.float32)
    if rng.random() < 0.6:
        factor += clouds(rng, high, wide, 3) * rng.uniform(0, 0.25)
    if rng.random() < 0.3:
        shadow = np.zeros((high, wide), np.float32)
        points = (rng.uniform(-0.3, 1.3, (4, 2)) * (wide, high)).astype(np.int32)
        cv2.fillConvexPoly(shadow, cv2.convexHull(points), 1.0)
        soft = rng.uniform(0.5, 8)
        factor *= 1 - cv2.GaussianBlur(shadow, (0, 0), soft) * rng.uniform(0.1, 0.5)
    tint = 1 + rng.normal(0, 0.06, 3).astype(np.float32)
    return np.asarray(image * factor[..., None] * tint + np.float32(rng.normal(0, 8)))


def sensor(rng: np.random.Generator, image: np.ndarray, blur: float) -> np.ndarray:
    """Apply blur or motion of up to `blur` pixels, noise and compression: [h, w, 3] -> uint8."""
    if rng.random() < 0.6:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.2, blur))
    if rng.random() < 0.15:
        length = int(rng.integers(2, 2 + round(2 * blur)))
        kernel = np.full((1, length), 1 / length, np.float32)
        image = cv2.filter2D(image, -1, kernel if rng.random() < 0.6 else kernel.T)
    if rng.random() < 0.6:
        channels = 3 if rng.random() < 0.5 else 1
        grain = rng.standard_normal((*image.shape[:2], channels), np.float32)
        image = image + np.float32(rng.uniform(1, 14)) * grain
    pixels = np.clip(image, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        written = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 95))])[1]
        pixels = np.asarray(cv2.imdecode(written, cv2.IMREAD_COLOR))
    return pixels
