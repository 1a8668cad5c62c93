"""When two lists of detections are the same: rows matched by class and overlap, then measured."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest import PoseTask, RowTask
from webbuild.tasks import coco
from webbuild.tasks._base import Match, Tolerance
from webbuild.tasks.boxes import area, iou_matrix
from webbuild.tasks.detection import BOX_COLUMNS

Rows = NDArray[Any]


def match_rows(task: RowTask, want: Rows, got: Rows, tolerance: Tolerance, *, confidence: float, iou: float) -> Match:
    """Match two outputs' rows [rows, columns] (see the task) and measure the pairs.

    A row without a partner is excused only where its score, its overlap with a kept row, or its rank at the
    limit of rows lies within tolerance of the threshold that decides about it.
    """
    want, got = (np.asarray(rows, np.float64) for rows in (want, got))
    problems = [f"{name} has NaN or infinite rows" for name, r in (("wanted", want), ("got", got)) if not _finite(r)]
    if problems:
        return Match(0, 0, (), np.inf, np.inf, np.inf, None, tuple(problems))
    a, b = want[want[:, 4] > 0], got[got[:, 4] > 0]
    pairs = _pairs(a, b)
    lonely = [(a, i, b, want) for i in range(len(a)) if i not in pairs]
    taken = set(pairs.values())
    lonely += [(b, j, a, got) for j in range(len(b)) if j not in taken]
    accused = [
        _describe(side[i], "wanted" if full is want else "got")
        for side, i, other, full in lonely
        if not _excused(side, i, other, len(full), tolerance, confidence, iou)
    ]
    left, right = a[list(pairs)], b[list(pairs.values())]
    score, box, keypoint, oks = _distances(task, left, right)
    for name, distance, allowed in (
        ("score", score, tolerance.score),
        ("box", box, tolerance.pixels),
        ("keypoint", keypoint, tolerance.pixels),
    ):
        if distance > allowed:
            problems.append(f"{name} differs by {distance:.3g}, more than {allowed:g}: {_worst(left, right)}")
    return Match(len(pairs), len(lonely) - len(accused), tuple(accused), score, box, keypoint, oks, tuple(problems))


def _finite(rows: Rows) -> bool:
    return bool(np.isfinite(rows).all())


def _pairs(a: Rows, b: Rows) -> dict[int, int]:
    """Pair rows of one class greedily, largest overlap first, above an overlap of one half."""
    overlap = iou_matrix(a[:, :4], b[:, :4]) * (a[:, None, 5] == b[None, :, 5])
    closeness = overlap - np.abs(a[:, None, 4] - b[None, :, 4])  # equal boxes: the equal score decides
    found: dict[int, int] = {}
    for flat in np.argsort(-closeness, axis=None, kind="stable"):
        i, j = (int(index) for index in divmod(int(flat), max(1, len(b))))
        if overlap[i, j] >= 0.5 and i not in found and j not in found.values():
            found[i] = j
    return dict(sorted(found.items()))


def _excused(
    side: Rows, index: int, other: Rows, limit: int, tolerance: Tolerance, confidence: float, iou: float
) -> bool:
    row = side[index]
    if abs(row[4] - confidence) <= tolerance.score:
        return True
    rivals = np.concatenate([np.delete(side, index, axis=0), other])
    rivals = rivals[rivals[:, 5] == row[5]]
    if np.any(np.abs(iou_matrix(row[None, :4], rivals[:, :4]) - iou) <= tolerance.iou):
        return True
    return len(other) == limit and abs(row[4] - other[:, 4].min()) <= tolerance.score


def _distances(task: RowTask, a: Rows, b: Rows) -> tuple[float, float, float, float | None]:
    """Largest distance of scores, corners and keypoints over the pairs, and the smallest OKS."""
    if not len(a):
        return 0.0, 0.0, 0.0, None
    score = float(np.abs(a[:, 4] - b[:, 4]).max())
    box = float(np.abs(a[:, :4] - b[:, :4]).max())
    if not isinstance(task, PoseTask):
        return score, box, 0.0, None
    shape = (len(a), len(task.keypoints), task.keypoint_size)
    first, second = a[:, BOX_COLUMNS:].reshape(shape), b[:, BOX_COLUMNS:].reshape(shape)
    distance = np.linalg.norm(first[..., :2] - second[..., :2], axis=-1)
    confidence = float(np.abs(first[..., 2:] - second[..., 2:]).max(initial=0.0))
    return max(score, confidence), box, float(distance.max(initial=0.0)), _oks(distance, area(a[:, :4]))


def _oks(distance: NDArray[Any], areas: NDArray[Any]) -> float | None:
    """Smallest object keypoint similarity; keypoints that are not COCO's have none."""
    if distance.shape[1] != len(coco.SIGMAS):
        return None
    scale = 2 * (2 * coco.SIGMAS) ** 2 * np.maximum(areas, 1e-9)[:, None]
    return float(np.exp(-(distance**2) / scale).mean(axis=1).min())


def _worst(a: Rows, b: Rows) -> str:
    """Say where two lists of paired rows differ most: which row, which column, both values."""
    place = np.unravel_index(int(np.abs(a - b).argmax()), a.shape)
    row, column = (int(index) for index in place)
    return f"detection {row}, column {column}: wanted {a[row, column]:.6g}, got {b[row, column]:.6g}"


def _describe(row: Rows, side: str) -> str:
    corners = ", ".join(f"{value:.1f}" for value in row[:4])
    return f"{side} only: class {row[5]:.0f}, score {row[4]:.4f}, box ({corners})"
