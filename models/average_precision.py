"""Average precision as defined by COCO."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def matches(similarity: Array, threshold: float) -> Array:
    """Return which detections, best first, match a label that no earlier detection matched."""
    taken = np.zeros(similarity.shape[1], dtype=bool)
    right = np.zeros(len(similarity), dtype=bool)
    for row, scores in enumerate(similarity):
        free = np.where(taken, -1.0, scores)
        if len(free) and free.max() >= threshold:
            taken[free.argmax()] = right[row] = True
    return right


def average_precision(right: Array, scores: Array, labels: int) -> float:
    """Return the area under the precision-recall curve, at COCO's 101 recall levels."""
    order = np.argsort(-scores, kind="stable")
    hits = right[order].cumsum()
    precision = hits / np.arange(1, len(hits) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    at = np.searchsorted(hits / labels, np.linspace(0, 1, 101) - 1e-9)
    return float(np.append(precision, 0.0)[at].mean())
