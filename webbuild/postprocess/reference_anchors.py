"""NumPy reference of anchor decoding: what the appended head must compute before NMS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.postprocess.anchors import AnchorPostprocess, Columns
from webbuild.postprocess.reference_nms import reference_nms
from webbuild.postprocess.sigmoid import sigmoid

Floats = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]


def reference_anchors(spec: AnchorPostprocess, outputs: Arrays, confidence: float, iou: float) -> Floats:
    """Return rows [1, rows, 6 + keypoints * 2] as `AnchorPostprocess` describes them, of one picture."""
    parts = [decode_anchor_boxes(spec, outputs), decode_anchor_scores(spec, outputs)]
    table = np.concatenate([*parts, _decode_keypoints(spec, outputs)] if spec.keypoints else parts, 1)
    return reference_nms(spec.suppression, table.T[None], confidence, iou)


def decode_anchor_scores(spec: AnchorPostprocess, outputs: Arrays) -> Floats:
    """Return a probability for each class [anchors, classes]."""
    scores = join_columns(spec.scores, outputs)
    scores = sigmoid(scores) if spec.activation == "sigmoid" else scores
    if spec.activation == "softmax":
        powers = np.exp(scores - scores.max(1, keepdims=True))
        scores = powers / powers.sum(1, keepdims=True)
    scores = scores[:, 1:] if spec.background else scores
    if spec.objectness:
        second = np.clip(decode_anchor_objectness(spec, outputs), np.float32(0), np.float32(1))
        powers = np.array(spec.exponents, np.float32)
        scores = scores ** powers[0] * second ** powers[1]
    return scores


def decode_anchor_objectness(spec: AnchorPostprocess, outputs: Arrays) -> Floats:
    """Return the objectness [anchors, 1]; the spec must have one."""
    second = join_columns(spec.objectness, outputs)
    return sigmoid(second) if spec.activation == "sigmoid" else second


def decode_anchor_boxes(spec: AnchorPostprocess, outputs: Arrays) -> Floats:
    """Return centre x y, width and height [anchors, 4] in pixels."""
    raw_boxes = join_columns(spec.boxes, outputs)
    if spec.coding == "corners":
        scale = np.tile(np.array(spec.size[::-1] if spec.parts else (1, 1), np.float32), 2)
        return _centred(raw_boxes * scale)
    centre, size = anchor_boxes(spec)
    if spec.coding in ("distances", "distribution"):
        sides = _expected_sides(raw_boxes) if spec.coding == "distribution" else raw_boxes
        return _centred(np.concatenate([centre - sides[:, :2] * size, centre + sides[:, 2:] * size], 1))
    if spec.coding in ("yolov5", "fastestdet"):
        return _decode_cells(spec, raw_boxes)
    first, second = np.array(spec.variances, np.float32)
    if spec.coding == "linear":
        return np.concatenate([centre + raw_boxes[:, :2] * size, raw_boxes[:, 2:] * size], 1)
    return np.concatenate([centre + raw_boxes[:, :2] * (first * size), np.exp(raw_boxes[:, 2:] * second) * size], 1)


def _decode_cells(spec: AnchorPostprocess, offsets: Floats) -> Floats:
    """Return the boxes [anchors, 4] of offsets in grid cells, codings `yolov5` and `fastestdet`."""
    (centre, size), stride = anchor_boxes(spec), anchor_strides(spec)
    shares = sigmoid(offsets) if spec.sigmoid_boxes else offsets
    if spec.coding == "fastestdet":
        return np.concatenate([centre + np.tanh(offsets[:, :2]) * stride, shares[:, 2:] * size], 1)
    twice = np.float32(2) * shares
    return np.concatenate([centre + (twice[:, :2] - np.float32(1)) * stride, twice[:, 2:] ** 2 * size], 1)


def _decode_keypoints(spec: AnchorPostprocess, outputs: Arrays) -> Floats:
    """Return keypoints [anchors, keypoints * 2] in pixels."""
    offsets = join_columns(spec.keypoints, outputs)
    centre, size = anchor_boxes(spec)
    pairs = offsets.shape[1] // 2
    return np.tile(centre, pairs) + offsets * (np.tile(size, pairs) * np.float32(spec.variances[0]))


def anchor_boxes(spec: AnchorPostprocess) -> tuple[Floats, Floats]:
    """Return the centre and the size of every anchor, each [anchors, 2]: level by level, row by row."""
    centres, sizes = [], []
    for level in spec.levels:
        for row in range(level.rows):
            for column in range(level.columns):
                for size in level.sizes:
                    centres.append(((column + spec.offset) * level.stride, (row + spec.offset) * level.stride))
                    sizes.append(size)
    return np.array(centres, np.float32), np.array(sizes, np.float32)


def anchor_strides(spec: AnchorPostprocess) -> Floats:
    """Return the stride of every anchor's grid [anchors, 1]."""
    levels = [np.full((level.anchors, 1), level.stride, np.float32) for level in spec.levels]
    return np.concatenate(levels)


def join_columns(parts: tuple[Columns, ...], outputs: Arrays) -> Floats:
    """Return the columns of all levels [anchors, columns], concatenated along the anchors."""
    return np.concatenate([_columns(each, np.asarray(outputs[each.output], np.float32)) for each in parts])


def _columns(part: Columns, array: Floats) -> Floats:
    # maps: [1, C, h, w] -> [h * w, C]; else [1, ..., C] -> [rows, C]
    table = array.reshape(array.shape[1], -1).T if part.maps else array.reshape(-1, array.shape[-1])
    return table[part.start : part.stop or None, part.first : part.end]


def _expected_sides(distributions: Floats) -> Floats:
    """Return the means of distributions over bins: [anchors, 4 * bins] -> [anchors, 4]."""
    logits = distributions.reshape(len(distributions), 4, -1)
    powers = np.exp(logits - logits.max(2, keepdims=True))
    shares = powers / powers.sum(2, keepdims=True)
    result: Floats = (shares * np.arange(logits.shape[2], dtype=np.float32)).sum(2)
    return result


def _centred(corners: Floats) -> Floats:  # x1 y1 x2 y2 -> cx cy w h
    return np.concatenate([(corners[:, :2] + corners[:, 2:]) / np.float32(2), corners[:, 2:] - corners[:, :2]], 1)
