"""Decode keypoints from a crop stage's outputs, in pixels of its input. The manifest's heads have the formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import HeatmapHead, KeypointsTask, RegressionHead, SimccHead
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.heatmap_refinement import refine_cells

Floats = NDArray[np.float64]


_SIMCC_NEIGHBOURS, _HEATMAP_NEIGHBOURS = 3, 1
"""Cells on each side of the maximum that rounding may choose instead. A SimCC cell is half a pixel wide or less, and
scores fall slowly around the maximum; a heat-map cell is four pixels wide."""
_MAX_REFINEMENT = 2.0
"""Longest refinement step of a real peak, in cells. On a flat map the Newton step divides two numbers near 0, so
rounding decides its length."""


class InputKeypoints(Struct, frozen=True):
    """Keypoints of crops: `points` [crops, keypoints, 2] in pixels of the input, `confidence` [crops, keypoints].

    `margins` [crops, keypoints, n] is the difference of the maximum to the best score more than n cells away. Near 0,
    rounding decides which cell is chosen. It is 0 if the map has no peak to refine. A cell is `step` pixels wide.
    """

    points: Floats
    confidence: Floats
    margins: Floats
    step: float


def head_outputs(task: KeypointsTask) -> tuple[str, ...]:
    """Return the outputs that keypoints are decoded from."""
    match task.head:
        case SimccHead(x=x, y=y):
            return (x, y)
        case HeatmapHead(output=output) | RegressionHead(output=output):
            return (output,)


def decode_keypoints(task: KeypointsTask, outputs: Tensors, width: int, height: int) -> InputKeypoints:
    """Return the keypoints from the outputs for crops of width x height."""
    head = task.head
    match head:
        case SimccHead():
            return _decode_simcc(head, outputs[head.x], outputs[head.y])
        case HeatmapHead():
            return _decode_heatmaps(head, outputs[head.output], width, height)
        case RegressionHead():
            return _decode_regression(head, outputs[head.output], len(task.keypoints), width, height)


def _decode_simcc(head: SimccHead, x: NDArray[Any], y: NDArray[Any]) -> InputKeypoints:
    """Decode SimCC scores x [crops, keypoints, width * ratio] and y [crops, keypoints, height * ratio]."""
    at = np.stack([x.argmax(axis=-1), y.argmax(axis=-1)], axis=-1).astype(np.float64)
    best = x.max(axis=-1).astype(np.float64), y.max(axis=-1).astype(np.float64)
    confidence = (best[0] + best[1]) / 2
    at[~(confidence > 0)] = -1
    margins = np.minimum(_margins(x[..., None], _SIMCC_NEIGHBOURS), _margins(y[..., None], _SIMCC_NEIGHBOURS))
    return InputKeypoints(at / head.split_ratio, confidence, margins, 1 / head.split_ratio)


def _decode_heatmaps(head: HeatmapHead, maps: NDArray[Any], width: int, height: int) -> InputKeypoints:
    """Decode heat maps [crops, keypoints, rows, columns]."""
    *_, rows, columns = maps.shape
    flat = maps.reshape(*maps.shape[:2], -1)
    at = flat.argmax(axis=-1)
    confidence = flat.max(axis=-1).astype(np.float64)
    cells = np.stack([at % columns, at // columns], axis=-1)
    is_positive = confidence > 0
    points = np.full(cells.shape, -1.0)
    points[is_positive] = refine_cells(head, maps[is_positive].astype(np.float64), cells[is_positive])
    margins = _margins(maps, _HEATMAP_NEIGHBOURS)
    margins[is_positive & (np.abs(points - cells).max(axis=-1) > _MAX_REFINEMENT)] = 0
    less = 1 if head.unbiased else 0
    across, down = (width - less) / (columns - less), (height - less) / (rows - less)
    return InputKeypoints(points * [across, down], confidence, margins, max(across, down))


def _decode_regression(
    head: RegressionHead, output: NDArray[Any], keypoints: int, width: int, height: int
) -> InputKeypoints:
    """Decode coordinates [crops, keypoints * columns], or any shape with as many elements."""
    numbers = output.reshape(len(output), keypoints, len(head.columns)).astype(np.float64)
    points, size = numbers[..., :2], np.array([width, height], np.float64)
    if head.columns == "yxc":
        points = points[..., ::-1]
    if head.range == "unit":
        points = points * size
    elif head.range == "signed":
        points = (points + 1) * size / 2
    full_confidence, infinite_margins = np.ones(points.shape[:2]), np.full((*points.shape[:2], 1), np.inf)
    return InputKeypoints(
        points, numbers[..., 2] if head.columns.endswith("c") else full_confidence, infinite_margins, 0.0
    )


def _margins(scores: NDArray[Any], neighbours: int) -> Floats:
    """Return the differences of the maximum to distant scores.

    [crops, keypoints, rows, columns] -> [crops, keypoints, neighbours + 1]. Element n compares with cells more than n
    rows or columns away; it is infinite if there are none.
    """
    *_, rows, columns = scores.shape
    best = scores.reshape(*scores.shape[:2], -1).argmax(axis=-1)[..., None, None]
    away = np.maximum(abs(np.arange(rows)[:, None] - best // columns), abs(np.arange(columns) - best % columns))
    others = [np.where(away > apart, scores, -np.inf).max(axis=(-2, -1)) for apart in range(neighbours + 1)]
    return np.asarray(scores.max(axis=(-2, -1))[..., None] - np.stack(others, axis=-1), np.float64)
