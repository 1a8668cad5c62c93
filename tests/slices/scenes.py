"""Random scenes as overlapping slices find them: objects several times, cut at edges, next to others of their class."""

from __future__ import annotations

from typing import Any

import numpy as np

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
