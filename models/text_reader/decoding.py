"""From the detector's map to boxes, like PP-OCR's post-processing with quadrilateral boxes."""

from __future__ import annotations

import cv2
import numpy as np

from models.text_reader.shrink import OUTLINE, UNCLIP

BOX_THRESHOLD = 0.6
"""Threshold of a region's mean."""
SMALLEST = 3
"""Minimum length of a region's shorter side, in pixels."""


def ordered(quad: np.ndarray) -> np.ndarray:
    """Return corners [4, 2] in clockwise order, the upper left one first."""
    by_x = quad[np.argsort(quad[:, 0], kind="stable")]
    left, right = by_x[:2][np.argsort(by_x[:2, 1])], by_x[2:][np.argsort(by_x[2:, 1])]
    return np.stack([left[0], right[0], right[1], left[1]])


def boxes(probabilities: np.ndarray) -> np.ndarray:
    """A map [h, w] from 0 to 1 -> corners of lines [n, 4, 2] in its pixels, clockwise."""
    contours, _ = cv2.findContours((probabilities > OUTLINE).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        middle, size, degrees = cv2.minAreaRect(contour)
        if min(size) < SMALLEST or _mean(probabilities, cv2.boxPoints((middle, size, degrees))) < BOX_THRESHOLD:
            continue
        outwards = size[0] * size[1] * UNCLIP / (2 * (size[0] + size[1]))
        grown = (size[0] + 2 * outwards, size[1] + 2 * outwards)
        if min(grown) >= SMALLEST + 2:
            found.append(ordered(cv2.boxPoints((middle, grown, degrees))))
    return np.reshape(found, (-1, 4, 2)).astype(np.float64)


def _mean(probabilities: np.ndarray, quad: np.ndarray) -> float:
    """The mean of the map within corners."""
    low = np.clip(np.floor(quad.min(0)).astype(int), 0, np.array(probabilities.shape[::-1]) - 1)
    last = np.clip(np.ceil(quad.max(0)).astype(int), 0, np.array(probabilities.shape[::-1]) - 1)
    piece = probabilities[low[1] : last[1] + 1, low[0] : last[0] + 1]
    mask = np.zeros(piece.shape, np.uint8)
    cv2.fillPoly(mask, [(quad - low).astype(np.int32)], 1)
    return float(cv2.mean(np.ascontiguousarray(piece), mask)[0])
