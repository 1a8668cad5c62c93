"""Backgrounds of text: plain colours, gradients, noise, paper, and clutter without text."""

from __future__ import annotations

import cv2
import numpy as np


def colour(rng: np.random.Generator) -> np.ndarray:
    """Return a random RGB colour; half of the colours are nearly grey."""
    grey = rng.uniform(0, 255)
    return np.clip(grey + rng.normal(0, 8 if rng.random() < 0.5 else 70, 3), 0, 255).astype(np.float32)


def contrasting(rng: np.random.Generator, ground: np.ndarray) -> np.ndarray:
    """Return a colour that is readable on another."""
    for _ in range(50):
        found = colour(rng)
        if abs(float((found - ground).mean())) > rng.uniform(45, 140):
            return found
    return np.full(3, 0 if ground.mean() > 127 else 255, np.float32)


def clouds(rng: np.random.Generator, high: int, wide: int, cells: int) -> np.ndarray:
    """Return smooth noise [h, w], about from -1 to 1."""
    coarse = rng.normal(0, 0.6, (max(2, cells * high // max(high, wide)), max(2, cells * wide // max(high, wide))))
    return np.asarray(cv2.resize(coarse.astype(np.float32), (wide, high), interpolation=cv2.INTER_CUBIC))


def ground(rng: np.random.Generator, high: int, wide: int) -> np.ndarray:
    """Return a surface [h, w, 3], float32 from 0 to 255."""
    first = colour(rng)
    canvas = np.broadcast_to(first, (high, wide, 3)).copy()
    kind = rng.random()
    if kind < 0.35:
        turn = rng.uniform(0, 2 * np.pi)
        along = np.cos(turn) * np.linspace(-1, 1, wide)[None] + np.sin(turn) * np.linspace(-1, 1, high)[:, None]
        canvas += (along[..., None] * rng.normal(0, 30, 3)).astype(np.float32)
    elif kind < 0.7:
        for cells in (3, 10, 40):
            canvas += clouds(rng, high, wide, cells)[..., None] * rng.normal(0, 12, 3).astype(np.float32)
    return np.clip(canvas, 0, 255)


def clutter(rng: np.random.Generator, canvas: np.ndarray, count: int) -> None:
    """Draw lines, boxes, circles and bars on a picture, in place: edges that are not text."""
    high, wide = canvas.shape[:2]
    for _ in range(count):
        x, y = int(rng.integers(wide)), int(rng.integers(high))
        size = int(rng.integers(4, max(5, wide // 2)))
        thick = int(rng.choice([1, 1, 2, 3, 6, -1]))
        shade = tuple(map(float, colour(rng)))
        kind = int(rng.integers(5))
        if kind == 0:
            cv2.rectangle(canvas, (x, y), (x + size, y + int(rng.integers(2, size + 3))), shade, thick)
        elif kind == 1:
            cv2.circle(canvas, (x, y), size // 2, shade, thick, cv2.LINE_AA)
        elif kind == 2:
            turn = rng.uniform(0, np.pi)
            end = (x + int(size * np.cos(turn)), y + int(size * np.sin(turn)))
            cv2.line(canvas, (x, y), end, shade, abs(thick), cv2.LINE_AA)
        elif kind == 3:
            for line in range(int(rng.integers(2, 8))):
                cv2.line(canvas, (x, y + line * (4 + size // 8)), (x + size, y + line * (4 + size // 8)), shade, 1)
        else:
            tall, at = int(rng.integers(8, 40)), x
            for _ in range(size // 4):
                bar = int(rng.integers(1, 4))
                cv2.rectangle(canvas, (at, y), (at + bar - 1, y + tall), shade, -1)
                at += bar + int(rng.integers(1, 4))
