"""The detector's target: lines shrunk by the amount that decoding expands, so that neighbours stay separate."""

from __future__ import annotations

import numpy as np

OUTLINE = 0.3
"""Threshold of a region's pixels in PP-OCR's decoder."""

UNCLIP = 1.5
"""PP-OCR's unclip ratio: its decoder moves a region's edges outwards by area * this / perimeter."""


def shrinkage(wide: float, high: float) -> float:
    """Return the number of pixels by which a box is shrunk so that unclipping restores it.

    DB shrinks by area * (1 - 0.4 ** 2) / perimeter, 0.21 of a square's side. PP-OCR unclips the shrunk square by
    1.5 * area / perimeter, also 0.21. But for a long line, shrinking removes 0.42 of the height at each edge and
    unclipping restores only 0.12: the box would be less than half as high as the text. So d solves
    d = 1.5 * (w - 2 d) * (h - 2 d) / (2 * (w + h - 4 d)).
    """
    # 2 d (w + h - 4 d) = u (w - 2 d) (h - 2 d)  ->  (4 u + 8) d^2 - 2 (u + 1) (w + h) d + u w h = 0
    a, b, c = 4 * UNCLIP + 8, -2 * (UNCLIP + 1) * (wide + high), UNCLIP * wide * high
    return float((-b - np.sqrt(b * b - 4 * a * c)) / (2 * a))


def truth(quads: np.ndarray, high: int, wide: int, smallest: float = 5.0) -> tuple[np.ndarray, np.ndarray]:
    """Return the target map, and the mask of pixels that count in the loss.

    Args:
        quads: corners of lines [n, 4, 2], clockwise.
        high: the picture's height.
        wide: the picture's width.
        smallest: lines lower than this do not count, neither as text nor as background.

    Returns:
        Two float32 maps [h, w].
    """
    wanted, counts = np.zeros((high, wide), np.float32), np.ones((high, wide), np.float32)
    for quad in quads:
        low = np.clip(np.floor(quad.min(0)).astype(int), 0, (wide, high))
        last = np.clip(np.ceil(quad.max(0)).astype(int) + 1, 0, (wide, high))
        if (last <= low).any():
            continue
        sides = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
        along, across = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
        x, y = np.meshgrid(np.arange(low[0], last[0]) + 0.5, np.arange(low[1], last[1]) + 0.5)
        depth = np.full(x.shape, np.inf)  # distance of a pixel's centre to the nearest edge
        for start, edge in zip(quad, np.roll(quad, -1, 0) - quad, strict=True):
            length = max(float(np.linalg.norm(edge)), 1e-6)
            depth = np.minimum(depth, (edge[0] * (y - start[1]) - edge[1] * (x - start[0])) / length)
        piece = (slice(low[1], last[1]), slice(low[0], last[0]))
        if min(along, across) < smallest:
            counts[piece][depth > -1] = 0
        else:
            wanted[piece] = np.maximum(wanted[piece], np.clip(depth - shrinkage(along, across) + 0.5, 0, 1))
    return wanted, counts
