"""Text rectangles from a probability map: PaddleOCR's DBPostProcess without its last rounding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.tasks.text_boxes import TextBoxesTask
from webbuild.postprocess.outlines import outline_hulls
from webbuild.postprocess.rectangle import Floats, smallest_rectangle
from webbuild.postprocess.sigmoid import sigmoid

_MIN_SIDE = 3
"""Minimum shorter side of a rectangle in cells before it is enlarged; two cells more afterwards."""


class TextRectangle(Struct, frozen=True):
    """A rectangle around text: its corners [4, 2], x y in cells, clockwise from the upper left, and its mean score."""

    corners: Floats
    score: float


def probabilities(task: TextBoxesTask, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the output's values, of any shape, as text probabilities."""
    exact = values.astype(np.float64)
    return exact if task.activation == "none" else sigmoid(exact)


def find_text(task: TextBoxesTask, cells: NDArray[np.float32], confidence: float) -> Iterator[TextRectangle]:
    """Yield the rectangles around text in a map [height, width] of the task's output."""
    probability = probabilities(task, cells)
    sums = np.pad(probability.cumsum(axis=1), ((0, 0), (1, 0)))
    for hull in outline_hulls(probability > task.threshold, task.max_outlines):
        corners, side = smallest_rectangle(hull)
        if side < _MIN_SIDE:
            continue
        integer_corners = np.trunc(_from_upper_left(corners))
        score = _mean_inside(sums, integer_corners.astype(np.int64))
        if score < confidence:
            continue
        first, second = (float(np.linalg.norm(corners[at] - corners[at - 1])) for at in (1, 2))
        margin = first * second * task.unclip_ratio / (2 * (first + second))
        enlarged_corners, side = smallest_rectangle(integer_corners, margin)
        if side >= _MIN_SIDE + 2:
            yield TextRectangle(_from_upper_left(enlarged_corners), score)


def reading_order(corners: list[NDArray[Any]]) -> list[int]:
    """Return the indices of boxes [4, 2] row by row, left to right, as PaddleOCR's `sorted_boxes`.

    Boxes are in one row if the y of their first corners differs by less than 10 picture pixels.
    """
    order = sorted(range(len(corners)), key=lambda at: (corners[at][0, 1], corners[at][0, 0]))
    for end in range(1, len(order)):
        for at in range(end, 0, -1):
            before, here = corners[order[at - 1]][0], corners[order[at]][0]
            if not (abs(here[1] - before[1]) < _ROW_HEIGHT and here[0] < before[0]):
                break
            order[at - 1], order[at] = order[at], order[at - 1]
    return order


_ROW_HEIGHT = 10


def _from_upper_left(corners: Floats) -> Floats:
    """Return the corners [4, 2] clockwise from the upper left one."""
    left, right = np.split(corners[np.lexsort((corners[:, 1], corners[:, 0]))], 2)
    upper_left, lower_left = left[np.argsort(left[:, 1], kind="stable")]
    upper_right, lower_right = right[np.argsort(right[:, 1], kind="stable")]
    return np.array([upper_left, upper_right, lower_right, lower_left])


def _mean_inside(sums: Floats, corners: NDArray[np.int64]) -> float:
    """Return the mean of the cells that OpenCV's `fillPoly` fills for a convex polygon [4, 2], including its outline.

    `sums` [height, width + 1] are the cumulative sums of each row.
    """
    height, width = sums.shape[0], sums.shape[1] - 1
    top, bottom = int(corners[:, 1].min()), int(corners[:, 1].max())
    lefts, rights = np.full(bottom - top + 1, width), np.full(bottom - top + 1, -1)
    for pair in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        start, end = sorted(pair, key=lambda corner: corner[0])
        steps = max(1, int(np.abs(end - start).max()))
        x, down = (np.arange(steps + 1) * step / steps for step in end - start)
        rows = start[1] - top + (np.sign(down) * np.ceil(np.abs(down) - 0.5)).astype(np.int64)
        np.minimum.at(lefts, rows, start[0] + np.ceil(x - 0.5).astype(np.int64))
        np.maximum.at(rights, rows, start[0] + np.floor(x + 0.5).astype(np.int64))
    rows = np.arange(top, bottom + 1)
    lefts, rights = np.clip(lefts, 0, width), np.clip(rights + 1, 0, width)
    inside = (rows >= 0) & (rows < height) & (rights > lefts)
    rows, lefts, rights = rows[inside], lefts[inside], rights[inside]
    count = int((rights - lefts).sum())
    return float((sums[rows, rights] - sums[rows, lefts]).sum() / count) if count else 0.0
