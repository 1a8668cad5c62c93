"""Random scenes seen through overlapping slices: objects found several times, cut at edges, next to similar objects.

Each scene has rules and detections: box, score, classIndex, and for some `turned` or `mask`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.slices.sahi import slice_boxes

MERGES = ("greedy-nmm", "nms")
METRICS = ("ios", "iou")
THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 1.0)


def scene(seed: int, most: int = 60) -> dict[str, Any]:
    """Return rules, and up to `most` detections: box, score, classIndex. Some scores and boxes are equal."""
    random = np.random.default_rng(seed)
    count, classes = int(random.integers(1, most + 1)), int(random.integers(1, 4))
    objects = random.uniform(0, 300, (max(1, count // 3), 2)), random.uniform(4, 120, (max(1, count // 3), 2))
    picks = random.integers(0, len(objects[0]), count)
    starts = objects[0][picks] + random.normal(0, 6, (count, 2))
    ends = starts + objects[1][picks] * random.uniform(0.3, 1.1, (count, 2))
    boxes = np.clip(np.concatenate([starts, ends], axis=1), 0, 400)
    if seed % 2:
        boxes = np.round(boxes)
    scores = np.round(random.uniform(0.05, 1, count), 1 if seed % 3 == 0 else 3)
    if count > 3:
        boxes[1], scores[1] = boxes[0], scores[0]
        boxes[2, 2] = boxes[2, 0]
    return {
        "merge": MERGES[seed % 5 == 0],
        "metric": METRICS[seed % 4 == 1],
        "threshold": THRESHOLDS[int(random.integers(len(THRESHOLDS)))],
        "detections": [
            {"box": [round(float(value), 3) for value in box], "score": float(score), "classIndex": int(of)}
            for box, score, of in zip(boxes, scores, random.integers(0, classes, count), strict=True)
        ],
    }


def turned_scene(seed: int, most: int = 40) -> dict[str, Any]:
    """Return rotated boxes, each `turned`: centre x, centre y, width, height, angle. Many are side by side."""
    random = np.random.default_rng(seed)
    count = int(random.integers(2, most + 1))
    lanes = max(1, count // 4)
    starts, angles = random.uniform(40, 260, (lanes, 2)), random.uniform(-np.pi, np.pi, lanes)
    sizes = random.uniform((30, 6), (90, 30), (lanes, 2))
    picks, beside = random.integers(0, lanes, count), random.integers(-1, 2, count)
    across = np.stack([-np.sin(angles), np.cos(angles)], 1) * sizes[:, 1:]
    centres = starts[picks] + across[picks] * beside[:, None] + random.normal(0, 2, (count, 2))
    rows = np.c_[centres, sizes[picks] * random.uniform(0.6, 1.1, (count, 2)), angles[picks]]
    rows[:, 4] += random.normal(0, 0.05, count)
    rows[0, 2] = 0 if seed % 4 == 0 else rows[0, 2]
    return {
        "metric": METRICS[seed % 3 == 1],
        "threshold": THRESHOLDS[int(random.integers(len(THRESHOLDS) - 1))],
        "detections": [
            {
                "turned": [round(float(value), 3) for value in row],
                "score": round(float(score), 3),
                "classIndex": int(of),
            }
            for row, score, of in zip(rows, random.uniform(0.05, 1, count), random.integers(0, 2, count), strict=True)
        ],
    }


def masked_scene(seed: int, objects: int = 8) -> dict[str, Any]:
    """Return ellipses as seen by slices of 60 x 60 pixels and an image of 150 x 100: boxes, and `mask` within them."""
    random = np.random.default_rng(seed)
    slices = [*slice_boxes(150, 100, (60, 60), 0.3), [0, 0, 150, 100]]
    y, x = np.mgrid[0:100, 0:150]
    detections = []
    for _ in range(objects):
        place, radii, kind = random.uniform(5, (145, 95)), random.uniform(5, 30, 2), int(random.integers(2))
        for left, top, right, bottom in slices:
            (middle_x, middle_y), (wide, high) = place + random.normal(0, 1, 2), radii * random.uniform(0.85, 1.1, 2)
            inside = ((x - middle_x) / wide) ** 2 + ((y - middle_y) / high) ** 2 < 1
            part = inside[top:bottom, left:right]
            rows, columns = np.flatnonzero(part.any(1)), np.flatnonzero(part.any(0))
            if len(rows) < 4 or len(columns) < 4:
                continue
            box = [left + columns[0], top + rows[0], left + columns[-1] + 1, top + rows[-1] + 1]
            mask = inside[box[1] : box[3], box[0] : box[2]]
            detections.append(
                {
                    "box": [float(value) for value in box],
                    "score": round(float(random.uniform(0.1, 1)), 3),
                    "classIndex": kind,
                    "mask": {"x": int(box[0]), "y": int(box[1]), "cell": 1, "rows": written(mask)},
                }
            )
    return {
        "merge": MERGES[seed % 5 == 0],
        "metric": METRICS[seed % 4 == 1],
        "threshold": THRESHOLDS[int(random.integers(len(THRESHOLDS)))],
        "detections": detections,
    }


def written(mask: np.ndarray[Any, np.dtype[np.bool_]]) -> list[str]:
    """Return the rows of a mask, a digit for each cell."""
    return ["".join("01"[int(cell)] for cell in row) for row in mask]
