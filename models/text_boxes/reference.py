"""PaddleOCR's DBPostProcess (PaddleOCR 3, `ppocr/postprocess/db_postprocess.py`), on OpenCV and pyclipper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import pyclipper

Found = list[tuple[np.ndarray, float]]
"""Corners [4, 2] in cells, clockwise from the upper left, and the score."""


def text_boxes(
    cells: np.ndarray, *, confidence: float = 0.6, ratio: float = 1.5, most: int = 1000, fine: int = 0
) -> Found:
    """Return the boxes in a map [height, width] of probabilities, before they are rounded to pixels of the picture.

    With `fine`, corners within 0.001 of an integer become that integer before they are rounded towards 0, because
    OpenCV's float32 misses it on either side. Corners of the offset polygon are then multiples of 1 / fine, not
    integers.
    """
    bitmap = (cells > 0.3).astype(np.uint8) * 255
    contours, _ = cv2.findContours(bitmap, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours[:most]:
        box, side = smallest_box(contour)
        if side < 3:
            continue
        if fine:
            box = np.where(np.abs(box - np.round(box)) < 1e-3, np.round(box), box).astype(np.float32)
        score = mean_inside(cells, box)
        if score < confidence:
            continue
        expanded = unclipped(box, ratio, fine or 1)
        if len(expanded) != 1:
            continue
        grown, side = smallest_box((np.array(expanded[0]) / (fine or 1)).astype(np.float32).reshape(-1, 1, 2))
        if side >= 5:
            found.append((grown, score))
    return found


def smallest_box(contour: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the corners of `minAreaRect`, clockwise from the upper left, and the shorter side."""
    rectangle = cv2.minAreaRect(contour)
    points = sorted(cv2.boxPoints(rectangle).tolist(), key=lambda point: point[0])
    left, right = (sorted(points[part], key=lambda point: point[1]) for part in (slice(2), slice(2, 4)))
    return np.array([left[0], right[0], right[1], left[1]], np.float32), min(rectangle[1])


def mean_inside(cells: np.ndarray, corners: np.ndarray) -> float:
    """Return the mean of the cells in a box, as `box_score_fast` does."""
    height, width = cells.shape
    low = np.clip(np.floor(corners.min(axis=0)), 0, [width - 1, height - 1]).astype(int)
    high = np.clip(np.ceil(corners.max(axis=0)), 0, [width - 1, height - 1]).astype(int)
    mask = np.zeros((high[1] - low[1] + 1, high[0] - low[0] + 1), np.uint8)
    cv2.fillPoly(mask, (corners - low).reshape(1, -1, 2).astype(np.int32), 1)
    return float(cv2.mean(cells[low[1] : high[1] + 1, low[0] : high[0] + 1], mask)[0])


def unclipped(corners: np.ndarray, ratio: float, fine: int) -> Sequence[Any]:
    """Return the polygons around a box at the distance area * `ratio` / perimeter, scaled by `fine`."""
    turned = np.roll(corners, -1, axis=0).astype(float)
    area = abs((corners[:, 0] * turned[:, 1] - corners[:, 1] * turned[:, 0]).sum()) / 2
    length = np.linalg.norm(turned - corners, axis=1).sum()
    offset = pyclipper.PyclipperOffset()
    # The first call of pyclipper rounds towards 0, as PaddleOCR's does.
    offset.AddPath(np.trunc(corners) * fine, pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON)
    return offset.Execute(area * ratio / length * fine)


def in_picture(found: Found, place: dict[str, Any], scale: tuple[float, float]) -> Found:
    """Return the boxes in the picture's pixels in `sorted_boxes`' order; `scale` is the input's pixels per cell."""
    source = place["source"]
    stretch = np.array([source["width"] / place["width"], source["height"] / place["height"]])
    placed = [
        (
            np.clip((box * scale - [place["left"], place["top"]]) * stretch, 0, [source["width"], source["height"]]),
            score,
        )
        for box, score in found
    ]
    order = sorted(
        (each for each in placed if np.ptp(each[0], axis=0).min() > 0), key=lambda each: tuple(each[0][0][::-1])
    )
    for end in range(len(order) - 1):
        for at in range(end, -1, -1):
            before, here = order[at][0][0], order[at + 1][0][0]
            if not (abs(here[1] - before[1]) < 10 and here[0] < before[0]):
                break
            order[at], order[at + 1] = order[at + 1], order[at]
    return order
