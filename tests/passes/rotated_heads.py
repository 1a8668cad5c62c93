"""The tails of real exports with rotated boxes, and synthetic detections to feed them.

`tails/rotated/` contains the tails that `tests/passes/cut_tail.py` cut from exports with 3 classes, 756 anchors and 100
rows, made with nms=True, conf=0.3, iou=0.65 by Ultralytics 8.4 (TorchScript exporter; also with agnostic_nms=True)
and 8.3 (dynamo exporter).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tests.passes.heads import Head, Rows

NAMES = sorted(file.name.removesuffix(".onnx.txt") for file in (Head.folder / "rotated").glob("*.onnx.txt"))
CLASSES, ANCHORS, ROWS, CAPACITY = 3, 756, 100, 256
CONFIDENCE, IOU = 0.3, 0.65


class Rotated(Struct, frozen=True):
    """One anchor's values: centre, size, angle in radians, the score of one class."""

    box: tuple[float, float, float, float]
    score: float
    angle: float = 0.0
    label: int = 0


class RotatedHead(Head):
    """The three graphs of one tail of rotated boxes."""

    folder = Head.folder / "rotated"
    exported = (CONFIDENCE, IOU)

    def original(self, raw: NDArray[Any]) -> Rows:
        """Return the rows of the export, without the boxes of score 0 that some exports pad with."""
        rows = super().original(raw)
        return np.where(rows[:, 4:5] > 0, rows, np.float32(0))


@cache
def head(name: str) -> RotatedHead:
    return RotatedHead(name)


def raw_output(detections: Sequence[Rotated], seed: int = 0) -> NDArray[np.float32]:
    """Return the raw output [1, 8, 756] in which anchor i has detection i and the others have low scores."""
    raw = np.random.default_rng(seed).uniform(1, 192, (1, 4 + CLASSES + 1, ANCHORS)).astype(np.float32)
    raw[0, 4 : 4 + CLASSES] = 0.01
    for anchor, detection in enumerate(detections):
        raw[0, :4, anchor] = detection.box
        raw[0, 4 + detection.label, anchor] = detection.score
        raw[0, -1, anchor] = detection.angle
    return raw


def apart(count: int) -> list[tuple[float, float, float, float]]:
    """Return boxes that do not overlap, in a grid of 32 columns."""
    return [(6.0 * (i % 32) + 3, 6.0 * (i // 32) + 3, 3.0, 2.0) for i in range(count)]


def chain(count: int) -> list[Rotated]:
    """Return boxes of decreasing score; each overlaps only the next one by more than the threshold."""
    return [Rotated((40 + 4.0 * i, 40.0, 20.0, 20.0), 0.9 - 0.01 * i) for i in range(count)]


def overlaps(detections: Sequence[Rotated]) -> NDArray[np.float64]:
    """Return the probabilistic IoU of each pair [n, n], from the paper's formulas (arXiv 2106.06072), in float64.

    A box is a normal distribution with its centre and the variances w²/12 and h²/12 along its sides. With the mean S of
    the covariances, the Bhattacharyya distance is d' S⁻¹ d / 8 + ln(det S / sqrt(det S1 det S2)) / 2.
    """
    centres = np.array([d.box[:2] for d in detections])
    matrices = []
    for d in detections:
        turn = np.array([[np.cos(d.angle), -np.sin(d.angle)], [np.sin(d.angle), np.cos(d.angle)]])
        matrices.append(turn @ np.diag([d.box[2] ** 2 / 12, d.box[3] ** 2 / 12]) @ turn.T)
    spread = np.array(matrices)
    mean = (spread[:, None] + spread[None]) / 2
    gap = centres[:, None] - centres[None]
    far = np.einsum("ijk,ijkl,ijl->ij", gap, np.linalg.inv(mean), gap) / 8
    sizes = np.linalg.det(spread)
    wide = np.log(np.linalg.det(mean) / np.sqrt(sizes[:, None] * sizes[None])) / 2
    return np.asarray(1 - np.sqrt(np.maximum(0, 1 - np.exp(-(far + wide)))))
