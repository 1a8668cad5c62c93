"""Compare text boxes with PaddleOCR's DBPostProcess on 1,000 random maps.

python -m models.text_boxes.compare

Needs opencv-python-headless 4 and pyclipper. Each map is compared twice: with PaddleOCR's boxes before it rounds to
pixels of the picture, and with its boxes without the rounding of OpenCV's float32 and pyclipper's integers.
"""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np

from models.text_boxes.reference import Found, text_boxes
from webbuild.manifest.manifest import TextBoxesTask
from webbuild.tasks.decoding.text_map import TextRectangle, find_text

MAPS = 1000
KINDS = ("rectangles", "blobs", "touching", "border", "nobody")
CONFIDENCE = 0.6
TASK = TextBoxesTask(
    output="map", activation="none", threshold=0.3, confidence=CONFIDENCE, unclip_ratio=1.5, max_outlines=1000
)


def drawn(rng: np.random.Generator, kind: str) -> np.ndarray:
    """Return a map [height, width] of probabilities: shapes of a kind, blurred, with noise."""
    height, width = (int(sides) * 32 for sides in rng.integers(4, 12, 2))
    if kind == "nobody":
        return rng.uniform(0, 0.29, (height, width)).astype(np.float32)
    cells = np.zeros((height, width), np.float32)
    for _ in range(rng.integers(1, 14)):
        level = float(rng.choice([rng.uniform(0.45, 1), rng.uniform(0.8, 1)]))
        center = (float(rng.uniform(0, width)), float(rng.uniform(0, height)))
        if kind == "border":
            center = (float(rng.choice([0, width - 1, center[0]])), float(rng.choice([0, height - 1])))
        if kind == "touching":
            center = (width / 2 + float(rng.normal(0, 50)), height / 2 + float(rng.normal(0, 30)))
        if kind == "blobs":
            axes = tuple(int(axis) for axis in rng.integers(2, 60, 2))
            whole = tuple(int(place) for place in center)
            cv2.ellipse(cells, whole, axes, float(rng.uniform(0, 180)), 0, 360, level, int(rng.choice([-1, -1, 3, 6])))
            continue
        angle = float(rng.choice([0, 90, rng.uniform(-90, 90), rng.normal(0, 6)]))
        sides = (float(rng.uniform(3, 160)), float(rng.uniform(3, 30)))
        cv2.fillPoly(cells, [np.round(cv2.boxPoints((center, sides, angle))).astype(np.int32)], level)
    cells = cv2.GaussianBlur(cells, (0, 0), float(rng.uniform(0.5, 1.5)))
    return np.clip(cells + rng.normal(0, 0.02, cells.shape), 0, 1).astype(np.float32)


def paired(want: Found, got: list[TextRectangle]) -> list[tuple[float, float]]:
    """Return the distances of corners and scores of each pair of boxes; boxes of a pair are within 6 cells."""
    left, apart = list(got), []
    for box, score in want:
        distances = [float(np.abs(box - each.corners).max()) for each in left]
        if distances and min(distances) < 6:
            nearest = left.pop(int(np.argmin(distances)))
            apart.append((min(distances), abs(score - nearest.score)))
    return apart


def main() -> None:
    """Print the table."""
    print("| reference | boxes | without a partner | within 0.01 | within 0.5 | within 1 | largest | largest score |")
    print("|---|---|---|---|---|---|---|---|")
    for name, fine in (("PaddleOCR", 0), ("without its rounding", 1024)):
        counts: Counter[str] = Counter()
        apart: list[tuple[float, float]] = []
        for index in range(MAPS):
            cells = drawn(np.random.default_rng(index), KINDS[index % len(KINDS)])
            want, got = text_boxes(cells, confidence=CONFIDENCE, fine=fine), list(find_text(TASK, cells, CONFIDENCE))
            pairs = paired(want, got)
            apart += pairs
            counts["boxes"] += len(want)
            counts["lonely"] += len(want) + len(got) - 2 * len(pairs)
        corners, scores = np.array(apart).T
        within = [f"{np.mean(corners <= limit):.1%}" for limit in (0.01, 0.5, 1)]
        numbers = [counts["boxes"], counts["lonely"], *within, f"{corners.max():.2f}", f"{scores.max():.3f}"]
        print(f"| {name} | {' | '.join(map(str, numbers))} |")


if __name__ == "__main__":
    main()
