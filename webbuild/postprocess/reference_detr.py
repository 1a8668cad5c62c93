"""Rows from the outputs of a detector that predicts a set of boxes, in plain numpy: what is appended computes this.

The rules for logits are those of transformers' `post_process_object_detection`, in float32: of RTDetrImageProcessor
with a sigmoid, of DetrImageProcessor with a softmax.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.postprocess.query_head import QueryHead

Floats = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]


def reference_detr(head: QueryHead, outputs: Arrays, feeds: Arrays, confidence: float) -> Floats:
    """Return rows [1, rows, 6] as `QueryHead` describes them, from the outputs for one picture and what was fed."""
    match head.layout:
        case "parts":
            boxes, scores, labels = _decode_parts(head, outputs, feeds)
        case "queries":
            boxes, scores, labels = _decode_queries(head, outputs)
        case _:
            boxes, scores, labels = _decode_table(head, np.asarray(outputs[head.output][0], np.float32))
    order = np.argsort(-scores, kind="stable")[: head.rows]
    rows = np.concatenate([boxes, scores[:, None], labels[:, None].astype(np.float32)], 1)[order]
    rows[~(rows[:, 4] > np.float32(confidence))] = 0
    return rows[None]


def _decode_parts(head: QueryHead, outputs: Arrays, feeds: Arrays) -> tuple[Floats, Floats, NDArray[Any]]:
    boxes, scores = (np.asarray(outputs[name][0], np.float32) for name in (head.boxes, head.output))
    if head.size_input:
        boxes = boxes * _box_scale(head, np.asarray(feeds[head.size_input], np.float32).ravel())
    return boxes, scores, outputs[head.labels][0]


def _box_scale(head: QueryHead, size: Floats) -> Floats:
    """Return what the corners of a box are multiplied by to be in pixels of the input."""
    given = size if head.size_order == "width-height" else size[::-1]
    return np.tile(np.array(head.size[::-1], np.float32) / given, 2)


def _decode_queries(head: QueryHead, outputs: Arrays) -> tuple[Floats, Floats, NDArray[Any]]:
    logits, given = (np.asarray(outputs[name][0], np.float32) for name in (head.output, head.boxes))
    corners = _cxcywh_to_xyxy(head, given)
    if head.softmax:
        scores = _softmax(logits)[:, :-1]
        return corners, scores.max(1), scores.argmax(1)
    with np.errstate(over="ignore"):
        flat: Floats = (1 / (1 + np.exp(-logits))).astype(np.float32).ravel()
    best = np.argsort(-flat, kind="stable")[: head.rows]
    return corners[best // logits.shape[1]], flat[best], best % logits.shape[1]


def _decode_table(head: QueryHead, given: Floats) -> tuple[Floats, Floats, NDArray[Any]]:
    corners = _cxcywh_to_xyxy(head, given[:, :4])
    if head.layout == "centred":
        return corners, given[:, 4], given[:, 5]
    return corners, given[:, 4:].max(1), given[:, 4:].argmax(1)


def _cxcywh_to_xyxy(head: QueryHead, given: Floats) -> Floats:
    """Return x1 y1 x2 y2 in pixels of the input from centre x y, width, height as parts of it."""
    half = given[:, 2:] / np.float32(2)
    corners = np.concatenate([given[:, :2] - half, given[:, :2] + half], 1)
    return corners * np.tile(np.array(head.size[::-1], np.float32), 2)


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    result: Floats = powers / powers.sum(1, keepdims=True)
    return result
