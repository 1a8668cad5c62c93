"""NumPy reference of NMS: what the head appended to a detector must compute.

The rules are those of Ultralytics' `non_max_suppression` with one label per box. The arithmetic is that of ONNX
Runtime's NonMaxSuppression: float32, an IoU above (not at) the threshold suppresses, a box without area overlaps none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.postprocess.reference_rotated_nms import rotated_nms
from webbuild.postprocess.yolo import YoloPostprocess

Floats = NDArray[np.float32]


def reference_nms(spec: YoloPostprocess, output: NDArray[Any], confidence: float, iou: float) -> Floats:
    """Return rows [1, rows, 6 + extra] as `YoloPostprocess` describes them, from the raw output of one picture."""
    raw = np.asarray(output[0], np.float32)
    table = raw.T if spec.layout == "columns" else raw
    candidates = raw if spec.layout == "final" else _best_class_candidates(spec, table)
    candidates = candidates[candidates[:, 4] > np.float32(confidence)]
    candidates = candidates[np.argsort(-candidates[:, 4], kind="stable")]
    if spec.layout == "final":
        return _pad_rows(candidates, len(raw), spec.columns)
    rows = min(len(table), spec.max_detections)
    labels = None if spec.class_agnostic else candidates[:, 5]
    if spec.rotated:
        kept = rotated_nms(candidates[:, [0, 1, 2, 3, 6]], np.float32(iou), rows, labels)
    else:
        kept = greedy_nms(candidates[:, :4], np.float32(iou), rows, labels)
    return _pad_rows(candidates[kept], rows, spec.columns)


def _pad_rows(detections: Floats, rows: int, columns: int) -> Floats:
    result = np.zeros((1, rows, columns), np.float32)
    result[0, : len(detections)] = detections
    return result


def _best_class_candidates(spec: YoloPostprocess, table: Floats) -> Floats:
    """Return box, score, class and extra columns [anchors, columns] of each anchor's best class."""
    end = spec.first_score + spec.classes
    scores, extra = table[:, spec.first_score : end], table[:, end:]
    if spec.layout == "rows":
        scores = scores * table[:, 4:5]
    centre, size = _decode_boxes(spec, table)
    half = size / np.float32(2)
    box = (centre, size) if spec.rotated else (centre - half, centre + half)
    best = scores.argmax(1)[:, None]
    score = np.take_along_axis(scores, best, 1)
    return np.concatenate([*box, score, best.astype(np.float32), extra], 1)


def _decode_boxes(spec: YoloPostprocess, table: Floats) -> tuple[Floats, Floats]:
    """Return centre [anchors, 2] and size [anchors, 2] of every box in pixels."""
    if not spec.strides:
        return table[:, :2], table[:, 2:4]
    height, width = spec.size
    cells = [(x, y, s) for s in spec.strides for y in range(height // s) for x in range(width // s)]
    grid = np.array(cells, np.float32)
    stride = grid[:, 2:]
    return (table[:, :2] + grid[:, :2]) * stride, np.exp(table[:, 2:4]) * stride


def greedy_nms(boxes: Floats, iou: np.float32, most: int, labels: Floats | None = None) -> list[int]:
    """Return the indices of at most `most` boxes that greedy NMS keeps, from boxes [n, 4] sorted best first.

    With `labels` [n] only boxes of the same label suppress each other.
    """
    kept: list[int] = []
    alive = np.ones(len(boxes), bool)
    for index in range(len(boxes)):
        if len(kept) == most:
            break
        if not alive[index]:
            continue
        kept.append(index)
        over = _iou(boxes[index], boxes) > iou
        alive &= ~(over if labels is None else over & (labels == labels[index]))
    return kept


def _iou(box: Floats, others: Floats) -> Floats:
    """Return the IoU [n] of a box [4] with each of `others` [n, 4], 0 where one has no area."""
    begin, end = np.minimum(others[:, :2], others[:, 2:]), np.maximum(others[:, :2], others[:, 2:])
    own_begin, own_end = np.minimum(box[:2], box[2:]), np.maximum(box[:2], box[2:])
    both = np.maximum(np.minimum(end, own_end) - np.maximum(begin, own_begin), np.float32(0)).prod(1)
    union = (own_end - own_begin).prod() + (end - begin).prod(1) - both
    result: Floats = np.divide(both, union, out=np.zeros_like(both), where=(both > 0) & (union > 0))
    return result
