"""Scores and boxes of anchors, decoded by operators: centre, size, class scores and keypoints of each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from webbuild.passes.rewrite import Builder, static_shape
from webbuild.postprocess.reference_anchors import anchor_boxes
from webbuild.postprocess.spec import AnchorPostprocess, Columns

Outputs = Mapping[str | None, ir.Value]


def build_anchor_table(add: Builder, outputs: Outputs, spec: AnchorPostprocess) -> ir.Value:
    """Append the table [anchors, 4 + classes + keypoints * 2] of what the outputs say, boxes in pixels."""
    parts = [_boxes(add, _joined(add, outputs, spec.boxes), spec), _scores(add, outputs, spec)]
    if spec.keypoints:
        parts.append(_keypoints(add, _joined(add, outputs, spec.keypoints), spec))
    return add.op("Concat", *parts, axis=1)


def anchor_table_blocker(outputs: Outputs, spec: AnchorPostprocess) -> str | None:
    """Return why there can be no such table, None if there can."""
    for name in spec.replaced_outputs:
        if name not in outputs:
            return f"no output has the name '{name}'"
        shape = static_shape(outputs[name])
        if shape is None or len(shape) not in (2, 3) or (len(shape) == 3 and shape[0] != 1):
            return f"the shape of '{name}' is {shape}, and rows of numbers of one picture were expected"
        if outputs[name].dtype != ir.DataType.FLOAT:
            return f"'{name}' is not float32"
        if outputs[name].is_graph_input() or outputs[name].is_initializer():
            return f"nothing computes '{name}'"
    anchors = sum(level.anchors for level in spec.levels) or _rows(outputs, spec.boxes)
    parts = [part for part in (spec.scores, spec.objectness, spec.boxes, spec.keypoints) if part]
    if any(_rows(outputs, part) != anchors for part in parts):
        return f"not every output is of {anchors} anchors"
    return None


def _rows(outputs: Outputs, part: tuple[Columns, ...]) -> int:
    return sum((static_shape(outputs[each.output]) or [0, 0])[-2] for each in part)


def _joined(add: Builder, outputs: Outputs, part: tuple[Columns, ...]) -> ir.Value:
    """Return the columns of all levels, one level under the other: [1, A_i, numbers] -> [A, columns]."""
    levels = []
    for each in part:
        value = outputs[each.output]
        rows, numbers = (static_shape(value) or [0, 0])[-2:]
        table = add.reshape(value, [rows, numbers])
        whole = (each.first, each.end) == (0, numbers)
        levels.append(table if whole else add.slice(table, 1, each.first, each.end))
    return levels[0] if len(levels) == 1 else add.op("Concat", *levels, axis=0)


def _scores(add: Builder, outputs: Outputs, spec: AnchorPostprocess) -> ir.Value:
    scores = _joined(add, outputs, spec.scores)
    if spec.activation == "sigmoid":
        scores = add.op("Sigmoid", scores)
    if spec.activation == "softmax":
        scores = add.op("Softmax", scores, axis=1)
    if spec.background:
        scores = add.slice(scores, 1, 1, 1 + spec.classes)
    if not spec.objectness:
        return scores
    second = _joined(add, outputs, spec.objectness)
    if spec.activation == "sigmoid":
        second = add.op("Sigmoid", second)
    # sqrt(class score * objectness): [A, C] * [A, 1]
    product = add.op("Mul", scores, add.op("Clip", second, add.const(0.0), add.const(1.0)))
    return add.op("Sqrt", product)


def _boxes(add: Builder, given: ir.Value, spec: AnchorPostprocess) -> ir.Value:
    """Return centre x y, width, height [A, 4] in pixels."""
    if spec.coding == "corners":
        if spec.parts:
            height, width = spec.size
            given = add.op("Mul", given, add.const(np.array([[width, height, width, height]])))
        return _centred(add, add.slice(given, 1, 0, 2), add.slice(given, 1, 2, 4))
    centre, size = anchor_boxes(spec)  # [A, 2], [A, 1]
    if spec.coding == "distribution":
        given = _expected_sides(add, given, len(centre), (spec.boxes[0].end - spec.boxes[0].first) // 4)
    # [A, 4] -> [A, 2], [A, 2]
    first, second = add.slice(given, 1, 0, 2), add.slice(given, 1, 2, 4)
    if spec.coding in ("distances", "distribution"):
        anchors, sizes = add.const(centre), add.const(size)
        start = add.op("Sub", anchors, add.op("Mul", first, sizes))
        return _centred(add, start, add.op("Add", anchors, add.op("Mul", second, sizes)))
    moved, grown = np.array(spec.variances, np.float32)
    if spec.coding == "exponential":
        second = add.op("Exp", second if grown == 1 else add.op("Mul", second, add.const(grown)))
    else:
        moved = np.float32(1)
    place = add.op("Add", add.const(centre), add.op("Mul", first, add.const(moved * size)))
    return add.op("Concat", place, add.op("Mul", second, add.const(size)), axis=1)


def _keypoints(add: Builder, given: ir.Value, spec: AnchorPostprocess) -> ir.Value:
    """Return x y of each keypoint [A, keypoints * 2] in pixels."""
    centre, size = anchor_boxes(spec)
    pairs = (spec.keypoints[0].end - spec.keypoints[0].first) // 2
    moved = add.op("Mul", given, add.const(size * np.float32(spec.variances[0])))
    return add.op("Add", add.const(np.tile(centre, pairs)), moved)


def _expected_sides(add: Builder, given: ir.Value, anchors: int, bins: int) -> ir.Value:
    """Return the mean [A, 4] of the distributions [A, 4 * bins]."""
    # softmax([A * 4, bins]) @ [0, 1, ..., bins - 1] -> [A * 4, 1] -> [A, 4]
    shares = add.op("Softmax", add.reshape(given, [anchors * 4, bins]), axis=1)
    return add.reshape(add.op("MatMul", shares, add.const(np.arange(bins)[:, None])), [anchors, 4])


def _centred(add: Builder, start: ir.Value, end: ir.Value) -> ir.Value:
    """Return centre x y, width, height [A, 4] of two corners [A, 2]."""
    centre = add.op("Mul", add.op("Add", start, end), add.const(0.5))
    return add.op("Concat", centre, add.op("Sub", end, start), axis=1)
