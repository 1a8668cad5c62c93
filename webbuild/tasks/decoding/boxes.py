"""Boxes as x1 y1 x2 y2: areas, IoU and bounding boxes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def iou_matrix(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """Return the IoU of every box in first [n, 4] with every box in second [m, 4] -> [n, m]."""
    a, b = np.asarray(first, np.float64).reshape(-1, 4), np.asarray(second, np.float64).reshape(-1, 4)
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    size = np.clip(high - low, 0, None)
    intersection = size[..., 0] * size[..., 1]
    union = box_areas(a)[:, None] + box_areas(b)[None, :] - intersection
    result: NDArray[np.float64] = np.divide(intersection, union, out=np.zeros_like(intersection), where=union > 0)
    return result


def box_areas(boxes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the areas of boxes [n, 4] -> [n], in square units of the coordinates."""
    result: NDArray[np.float64] = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return result


def enclosing_boxes(corners: NDArray[Any]) -> NDArray[np.float64]:
    """Return the smallest boxes [n, 4] around shapes given by their corners [n, corners, 2]."""
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=-1)
