"""Keypoints from the outputs of a second stage, in pixels of its input; the heads in the manifest say how."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import HeatmapHead, KeypointsTask, RegressionHead, SimccHead
from webbuild.tasks.heatmap_refinement import refine_cells
from webbuild.tasks.run_context import Tensors

Floats = NDArray[np.float64]


class InputKeypoints(Struct, frozen=True):
    """Keypoints of crops: `points` [crops, keypoints, 2] in pixels of the input, `confidence` [crops, keypoints].

    `margin` [crops, keypoints] is by how much the best score lies above the second: where that is next to nothing,
    rounding decides which is taken.
    """

    points: Floats
    confidence: Floats
    margin: Floats


def head_outputs(task: KeypointsTask) -> tuple[str, ...]:
    """Return the outputs that keypoints are decoded from."""
    match task.head:
        case SimccHead(x=x, y=y):
            return (x, y)
        case HeatmapHead(output=output) | RegressionHead(output=output):
            return (output,)


def decode_keypoints(task: KeypointsTask, outputs: Tensors, width: int, height: int) -> InputKeypoints:
    """Return the keypoints in the outputs of crops of width x height."""
    head = task.head
    match head:
        case SimccHead():
            return _decode_simcc(head, outputs[head.x], outputs[head.y])
        case HeatmapHead():
            return _decode_heatmaps(head, outputs[head.output], width, height)
        case RegressionHead():
            return _decode_regression(head, outputs[head.output], len(task.keypoints), width, height)


def _decode_simcc(head: SimccHead, x: NDArray[Any], y: NDArray[Any]) -> InputKeypoints:
    """X [crops, keypoints, width * ratio], y [crops, keypoints, height * ratio]."""
    at = np.stack([x.argmax(axis=-1), y.argmax(axis=-1)], axis=-1).astype(np.float64)
    best = x.max(axis=-1).astype(np.float64), y.max(axis=-1).astype(np.float64)
    confidence = (best[0] + best[1]) / 2
    at[~(confidence > 0)] = -1
    margin = np.minimum(_margin(x), _margin(y))
    return InputKeypoints(at / head.split_ratio, confidence, margin)


def _decode_heatmaps(head: HeatmapHead, maps: NDArray[Any], width: int, height: int) -> InputKeypoints:
    """Maps [crops, keypoints, rows, columns]."""
    *_, rows, columns = maps.shape
    flat = maps.reshape(*maps.shape[:2], -1)
    at = flat.argmax(axis=-1)
    confidence = flat.max(axis=-1).astype(np.float64)
    cells = np.stack([at % columns, at // columns], axis=-1)
    found = confidence > 0
    points = np.full(cells.shape, -1.0)
    points[found] = refine_cells(head, maps[found].astype(np.float64), cells[found])
    less = 1 if head.unbiased else 0
    across, down = (width - less) / (columns - less), (height - less) / (rows - less)
    return InputKeypoints(points * [across, down], confidence, _margin(flat))


def _decode_regression(
    head: RegressionHead, output: NDArray[Any], keypoints: int, width: int, height: int
) -> InputKeypoints:
    numbers = output.reshape(len(output), keypoints, len(head.columns)).astype(np.float64)
    points, size = numbers[..., :2], np.array([width, height], np.float64)
    if head.range == "unit":
        points = points * size
    elif head.range == "signed":
        points = (points + 1) * size / 2
    sure = np.ones(points.shape[:2])
    return InputKeypoints(points, numbers[..., 2] if head.columns == "xyc" else sure, sure)


def _margin(scores: NDArray[Any]) -> Floats:
    """Return by how much the best of scores [..., places] lies above the second."""
    if scores.shape[-1] < 2:
        return np.ones(scores.shape[:-1])
    best = np.partition(scores, -2, axis=-1)
    return np.asarray(best[..., -1] - best[..., -2], np.float64)
