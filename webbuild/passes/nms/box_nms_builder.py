"""Builder of the NMS that is appended to raw boxes and scores, in the form that `box_pattern` recognizes."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.nms.rotated_nms_builder import build_rotated_nms
from webbuild.postprocess.yolo import YoloPostprocess

_MARGIN = 2048
"""Pixels that two boxes together may extend beyond the image: 16 bins of stride 64 on either side."""


def build_box_nms(add: Builder, table: ir.Value, spec: YoloPostprocess, rows: int) -> ir.Value:
    """Append NMS to `table` [anchors, numbers] and return the detections [rows, columns]."""
    first = spec.first_score
    boxes = add.slice(table, 1, 0, 4) if spec.rotated else _corners(add, table, spec)
    scores = add.slice(table, 1, first, first + spec.classes)
    if spec.layout == "rows":
        scores = add.op("Mul", scores, add.slice(table, 1, 4, 5))
    # [A, C] -> [A]
    best = add.reduce("ReduceMax", scores, 1, keepdims=0)
    label = add.cast(add.op("ArgMax", scores, axis=1, keepdims=0), ir.DataType.FLOAT)
    apart = boxes if spec.class_agnostic or spec.classes == 1 else _offset_by_class(add, boxes, label, spec)
    if spec.rotated:
        apart = add.op("Concat", apart, add.slice(table, 1, spec.row_width - 1, spec.row_width), axis=1)
    above = add.op("Greater", best, add.const([spec.confidence]))
    flat = add.const([-1], np.int64)
    # bool [A] -> int64 [1, n] -> [n]
    candidates = add.op("Reshape", add.op("NonZero", above), flat)
    score = add.op("Gather", best, candidates, axis=0)
    survive = build_rotated_nms if spec.rotated else _kept_indices
    places = survive(add, add.op("Gather", apart, candidates, axis=0), score, spec)
    indices = add.slice(places, 0, 0, rows)
    parts = [boxes, score, label]
    if spec.extra_columns:
        parts.append(add.slice(table, 1, first + spec.classes, spec.row_width))
    column = add.const([-1, 1], np.int64)
    joined = []
    for part in parts:
        chosen = part if part is score else add.op("Gather", part, candidates, axis=0)
        row = add.op("Gather", chosen, indices, axis=0)
        joined.append(add.op("Reshape", row, column) if part in (score, label) else row)
    return _pad_rows(add, add.op("Concat", *joined, axis=1), rows)


def _corners(add: Builder, table: ir.Value, spec: YoloPostprocess) -> ir.Value:
    """Return x1 y1 x2 y2 [anchors, 4] in pixels."""
    # [A, 4] -> [A, 2] x y, [A, 2] width height
    centre, size = add.slice(table, 1, 0, 2), add.slice(table, 1, 2, 4)
    if spec.strides:
        # YOLOX: centre = (raw + cell) * stride, size = exp(raw) * stride
        cells, strides = _anchor_grid(spec)  # [A, 2], [A, 1]
        centre = add.op("Mul", add.op("Add", centre, add.const(cells)), add.const(strides))
        size = add.op("Mul", add.op("Exp", size), add.const(strides))
    half = add.op("Mul", size, add.const(0.5))
    return add.op("Concat", add.op("Sub", centre, half), add.op("Add", centre, half), axis=1)


def _offset_by_class(add: Builder, boxes: ir.Value, label: ir.Value, spec: YoloPostprocess) -> ir.Value:
    """Return the boxes with an offset for their class, so that boxes of different classes do not overlap.

    The classes form a square grid around the origin instead of a line: smaller coordinates lose less precision in
    float32. Of a rotated box only the centre moves.
    """
    side = math.ceil(math.sqrt(spec.classes))
    middle, pitch = (side - 1) / 2, float(max(spec.size) + _MARGIN)
    # class c is in column c % side, line c // side of a square grid, each cell `pitch` pixels wide
    index = add.reshape(label, [-1, 1])
    line = add.op("Floor", add.op("Mul", add.op("Add", index, add.const(0.5)), add.const(1 / side)))
    column = add.op("Sub", index, add.op("Mul", line, add.const(float(side))))
    cell = add.op("Mul", add.op("Sub", add.op("Concat", column, line, axis=1), add.const(middle)), add.const(pitch))
    if spec.rotated:
        return add.op("Concat", add.op("Add", add.slice(boxes, 1, 0, 2), cell), add.slice(boxes, 1, 2, 4), axis=1)
    return add.op("Add", boxes, add.op("Concat", cell, cell, axis=1))


def _kept_indices(add: Builder, boxes: ir.Value, score: ir.Value, spec: YoloPostprocess) -> ir.Value:
    """Return the indices of the candidates that NMS keeps, best first, at least `rows` of them if there are so many."""
    # NonMaxSuppression(boxes [1, n, 4], scores [1, 1, n]) -> [m, 3] of batch, class, box; column 2 -> [m]
    triples = add.op(
        "NonMaxSuppression",
        add.reshape(boxes, [1, -1, 4]),
        add.reshape(score, [1, 1, -1]),
        add.const([spec.max_detections], np.int64),
        add.const([spec.iou]),
    )
    return add.reshape(add.op("Gather", triples, add.const([2], np.int64), axis=1), [-1])


def _pad_rows(add: Builder, joined: ir.Value, rows: int) -> ir.Value:
    """Return the rows [m, columns] padded with zeros to [rows, columns]."""
    # Pad(joined [m, columns], [0, 0, rows - m, 0]) -> [rows, columns]
    zero = add.const([0], np.int64)
    count = add.op("Gather", add.op("Shape", joined), zero, axis=0)
    missing = add.op("Sub", add.const([rows], np.int64), count)
    return add.op("Pad", joined, add.op("Concat", add.const([0, 0], np.int64), missing, zero, axis=0))


def _anchor_grid(spec: YoloPostprocess) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float32]], ...]:
    """Return the cell (x, y) [anchors, 2] and the stride [anchors, 1] of every anchor, row by row, stride by stride."""
    cells, strides = [], []
    for stride in spec.strides:
        y, x = np.mgrid[: spec.size[0] // stride, : spec.size[1] // stride]
        cells.append(np.stack([x.ravel(), y.ravel()], 1).astype(np.float32))
        strides.append(np.full((x.size, 1), stride, np.float32))
    return np.concatenate(cells), np.concatenate(strides)
