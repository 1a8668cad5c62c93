"""Upright crops of lines with one height, the recognizer's input, and drawn lines for its training."""

from __future__ import annotations

import cv2
import numpy as np

from models.text_reader import camera, surfaces, words
from models.text_reader.ink import corners, put
from models.text_reader.pages import drawn_line

HEIGHT = 32
STEP = 4
"""Pixels of width per step of the recognizer's output; widths are multiples of it."""
NARROWEST, WIDEST = 16, 448


def cut(image: np.ndarray, quad: np.ndarray) -> np.ndarray:
    """Return the line at corners [4, 2] of a picture [h, w, 3] as [32, w', 3], with its aspect ratio."""
    top, right, bottom, left = (float(side) for side in np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1))
    along, across = max(top, bottom, 1.0), max(left, right, 1.0)
    size = (max(1, round(along)), max(1, round(across)))
    box = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), box)
    upright = cv2.warpPerspective(image, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    wide = int(np.clip(round(HEIGHT * along / across / STEP) * STEP, NARROWEST, WIDEST))
    return np.asarray(cv2.resize(upright, (wide, HEIGHT), interpolation=cv2.INTER_LINEAR))


def grown(quad: np.ndarray, left: float, top: float, right: float, bottom: float) -> np.ndarray:
    """Return corners [4, 2] moved outwards by shares of the line's height."""
    along, down = quad[1] - quad[0], quad[3] - quad[0]
    high = max(float(np.linalg.norm(down)), 1.0)
    along = along / max(float(np.linalg.norm(along)), 1.0) * high
    shares = np.array([[-left, -top], [right, -top], [right, bottom], [-left, bottom]])
    return np.asarray(quad + shares[:, :1] * along + shares[:, 1:] * down)


def example(rng: np.random.Generator, split: str, longest: int) -> tuple[np.ndarray, str]:
    """Return a line of at most `longest` characters, RGB uint8 [32, w, 3], cropped like a detector's, and its text."""
    text = words.phrase(rng, split, longest)
    size = int(np.exp(rng.uniform(np.log(11), np.log(52))))
    covered = drawn_line(rng, split, size, text, monospaced=rng.random() < 0.25)
    high, wide = covered.shape[0] + 2 * size, covered.shape[1] + 2 * size
    canvas = surfaces.ground(rng, high, wide)
    if rng.random() < 0.15:
        surfaces.clutter(rng, canvas, 2)
    middle = np.array([wide, high]) / 2
    within = canvas[size : high - size, size : wide - size]
    shade, strength = surfaces.contrasting(rng, within.mean((0, 1))), float(rng.uniform(0.65, 1))
    quad = corners(covered, middle, 0.0)
    put(canvas, covered, quad, shade, strength)
    for side in (-1, 1):
        if rng.random() < 0.2:
            other = drawn_line(rng, split, size, words.phrase(rng, split, longest))
            gap = side * (covered.shape[0] + other.shape[0] + size * rng.uniform(0.15, 0.8)) / 2
            put(canvas, other, corners(other, middle + np.array([rng.normal(0, size), gap]), 0.0), shade, strength)
    matrix = camera.view(rng, (high, wide), (high, wide), turn=0.03, bend=0.02)
    seen = cv2.warpPerspective(canvas, matrix, (wide, high), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    pixels = camera.sensor(rng, camera.light(rng, seen), blur=0.4 + size / 40)
    edges = rng.uniform([-0.02, -0.06, -0.02, -0.06], [0.35, 0.3, 0.35, 0.3])
    return cut(pixels, grown(camera.moved(quad, matrix), *edges)), text


def inputs(crops: list[np.ndarray]) -> np.ndarray:
    """Crops [32, w, 3] of uint8 -> [n, 3, 32, largest w], from -1 to 1, with zeros on the right of narrower ones."""
    batch = np.zeros((len(crops), 3, HEIGHT, max(crop.shape[1] for crop in crops)), np.float32)
    for row, crop in zip(batch, crops, strict=True):
        row[:, :, : crop.shape[1]] = np.moveaxis((crop.astype(np.float32) / 255 - 0.5) / 0.5, -1, 0)
    return batch
