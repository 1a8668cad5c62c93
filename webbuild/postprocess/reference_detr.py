"""NumPy reference of the head that is appended to DETR-like detectors.

The rules for logits are those of transformers' `post_process_object_detection`, in float32: RTDetrImageProcessor's
with a sigmoid, DetrImageProcessor's with a softmax.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.sigmoid import sigmoid

Floats = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]


def reference_detr(spec: DetrPostprocess, outputs: Arrays, feeds: Arrays, confidence: float) -> Floats:
    """Return rows [1, rows, 6] as `DetrPostprocess` describes them, from the outputs and inputs of one picture."""
    match spec.layout:
        case "parts":
            boxes, scores, labels = _decode_parts(spec, outputs, feeds)
        case "queries":
            boxes, scores, labels = _decode_queries(spec, outputs)
        case _:
            boxes, scores, labels = _decode_table(spec, np.asarray(outputs[spec.output][0], np.float32))
    order = np.argsort(-scores, kind="stable")[: spec.rows]
    rows = np.concatenate([boxes, scores[:, None], labels[:, None].astype(np.float32)], 1)[order]
    rows[~(rows[:, 4] > np.float32(confidence))] = 0
    return rows[None]


def _decode_parts(spec: DetrPostprocess, outputs: Arrays, feeds: Arrays) -> tuple[Floats, Floats, NDArray[Any]]:
    boxes, scores = (np.asarray(outputs[name][0], np.float32) for name in (spec.boxes, spec.output))
    if spec.size_input:
        boxes = boxes * _box_scale(spec, np.asarray(feeds[spec.size_input], np.float32).ravel())
    return boxes, scores, outputs[spec.labels][0]


def _box_scale(spec: DetrPostprocess, size: Floats) -> Floats:
    """Return the factors [4] that scale box corners to pixels of the input."""
    width_height = size if spec.size_order == "width-height" else size[::-1]
    return np.tile(np.array(spec.size[::-1], np.float32) / width_height, 2)


def _decode_queries(spec: DetrPostprocess, outputs: Arrays) -> tuple[Floats, Floats, NDArray[Any]]:
    logits, raw_boxes = (np.asarray(outputs[name][0], np.float32) for name in (spec.output, spec.boxes))
    corners = _cxcywh_to_xyxy(spec, raw_boxes)
    if spec.softmax:
        scores = _softmax(logits)[:, :-1]
        return corners, scores.max(1), scores.argmax(1)
    flat = sigmoid(logits).ravel()
    best = np.argsort(-flat, kind="stable")[: spec.rows]
    return corners[best // logits.shape[1]], flat[best], best % logits.shape[1]


def _decode_table(spec: DetrPostprocess, table: Floats) -> tuple[Floats, Floats, NDArray[Any]]:
    corners = _cxcywh_to_xyxy(spec, table[:, :4])
    if spec.layout == "centred":
        return corners, table[:, 4], table[:, 5]
    return corners, table[:, 4:].max(1), table[:, 4:].argmax(1)


def _cxcywh_to_xyxy(spec: DetrPostprocess, boxes: Floats) -> Floats:
    """Return x1 y1 x2 y2 [n, 4] in pixels of the input, from centre x y, width, height normalized to 0..1."""
    half = boxes[:, 2:] / np.float32(2)
    corners = np.concatenate([boxes[:, :2] - half, boxes[:, :2] + half], 1)
    return corners * np.tile(np.array(spec.size[::-1], np.float32), 2)


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    result: Floats = powers / powers.sum(1, keepdims=True)
    return result
