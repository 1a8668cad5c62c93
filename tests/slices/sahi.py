"""SAHI 0.12's sliced inference in NumPy: the slice positions, and how detections of the slices are merged.

For rotated boxes SAHI compares the upright boxes around them; this module compares the rotated boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from webbuild.tasks.metrics.polygon_iou import Corner, polygon_area, shared_area

Merge = Literal["greedy-nmm", "nms"]
Metric = Literal["ios", "iou"]
Box = Sequence[float]


def slice_boxes(width: int, height: int, size: tuple[int, int], overlap: float) -> list[list[int]]:
    """Return x1 y1 x2 y2 of each slice, row by row: `get_slice_bboxes`."""
    across, down = int(overlap * size[0]), int(overlap * size[1])
    boxes = []
    top = bottom = 0
    while bottom < height:
        left = right = 0
        bottom = top + size[1]
        while right < width:
            right = left + size[0]
            if bottom > height or right > width:
                right, bottom = min(width, right), min(height, bottom)
                left, top = max(0, right - size[0]), max(0, bottom - size[1])
            boxes.append([left, top, right, bottom])
            left = right - across
        top = bottom - down
    return boxes


def merged(
    boxes: Sequence[Box],
    scores: Sequence[float],
    classes: Sequence[int],
    *,
    merge: Merge,
    metric: Metric,
    threshold: float,
    corners: Sequence[Sequence[Corner]] | None = None,
) -> list[tuple[int, list[int]]]:
    """Return the kept detections, best first: their index, and the indices of the detections merged into them.

    This is `GreedyNMMPostprocess` or `NMSPostprocess`, by class. With `corners` (clockwise on a screen, inside `boxes`)
    the polygons are compared.
    """
    rows = np.array(boxes, np.float32).reshape(-1, 4)
    order = np.lexsort((*rows.T[::-1], -np.array(scores, np.float32)))
    areas = (rows[:, 2] - rows[:, 0]) * (rows[:, 3] - rows[:, 1])
    taken = np.zeros(len(rows), bool)
    found = []
    for place, best in enumerate(order):
        if taken[best]:
            continue
        others = order[place + 1 :]
        others = others[~taken[others] & (np.array(classes)[others] == classes[best])]
        if corners is None:
            ratios = overlaps(rows, areas, best, others, metric)
        else:
            ratios = np.array([turned_overlap(corners[best], corners[other], metric) for other in others], np.float32)
        others = others[ratios >= np.float32(threshold)]
        taken[others] = True
        around, joined = [float(value) for value in boxes[best]], []
        for other in [] if merge == "nms" else others:
            if overlap(around, boxes[other], metric) >= threshold:
                around = union(around, boxes[other])
                joined.append(int(other))
        found.append((int(best), joined))
    return found


def turned_overlap(first: Sequence[Corner], second: Sequence[Corner], metric: Metric) -> float:
    """Return the metric of two convex polygons, 0 where one has no area."""
    shared = shared_area(first, second)
    one, other = polygon_area(first), polygon_area(second)
    whole = min(one, other) if metric == "ios" else one + other - shared
    return shared / whole if whole > 0 else 0.0


def overlaps(
    rows: NDArray[np.float32], areas: NDArray[np.float32], best: int, others: NDArray[np.intp], metric: Metric
) -> NDArray[np.float32]:
    """Return the metric of a box and others in float32, 0 where one has no area."""
    sides = np.minimum(rows[best, 2:], rows[others, 2:]) - np.maximum(rows[best, :2], rows[others, :2])
    shared = np.maximum(0, sides[:, 0]) * np.maximum(0, sides[:, 1])
    smaller = np.minimum(areas[best], areas[others])
    whole = smaller if metric == "ios" else areas[best] + areas[others] - shared
    ratios: NDArray[np.float32] = np.divide(shared, whole, out=np.zeros_like(shared), where=whole > 0)
    return ratios


def overlap(first: Box, second: Box, metric: Metric) -> float:
    """Return the metric of two boxes in float64, 0 where one has no area."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    shared = max(width, 0) * max(height, 0)
    one, other = ((x2 - x1) * (y2 - y1) for x1, y1, x2, y2 in (first, second))
    whole = min(one, other) if metric == "ios" else one + other - shared
    return shared / whole if whole > 0 else 0.0


def union(first: Box, second: Box) -> list[float]:
    """Return the box around two."""
    corners = [*map(min, first[:2], second[:2]), *map(max, first[2:], second[2:])]
    return [float(value) for value in corners]
