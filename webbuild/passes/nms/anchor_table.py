"""Decoding of anchor outputs with ONNX operators: centre, size, class scores and keypoints of each anchor."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.nms.output_columns import ColumnCutter, Outputs, count_rows
from webbuild.passes.rewrite import static_shape
from webbuild.postprocess.anchors import AnchorPostprocess
from webbuild.postprocess.reference_anchors import anchor_boxes, anchor_strides

_NO_TABLE = "rows of one image were expected"


def build_anchor_table(add: Builder, outputs: Outputs, spec: AnchorPostprocess) -> ir.Value:
    """Append the decoded outputs as a table [anchors, 4 + classes + keypoints * 2], with boxes in pixels."""
    cut = ColumnCutter(add, outputs)
    parts = [_boxes(add, cut.join(spec.boxes), spec), _scores(add, cut, spec)]
    if spec.keypoints:
        parts.append(_keypoints(add, cut.join(spec.keypoints), spec))
    return add.op("Concat", *parts, axis=1)


def anchor_table_blocker(outputs: Outputs, spec: AnchorPostprocess) -> str | None:
    """Return why the outputs cannot be decoded to such a table, None if they can."""
    for name in spec.replaced_outputs:
        if name not in outputs:
            return f"no output has the name '{name}'"
        shape = static_shape(outputs[name])
        if shape is None or len(shape) < 2 or (len(shape) > 2 and shape[0] != 1):
            return f"the shape of '{name}' is {shape}, and {_NO_TABLE}"
        if outputs[name].dtype != ir.DataType.FLOAT:
            return f"'{name}' is not float32"
        if outputs[name].is_graph_input() or outputs[name].is_initializer():
            return f"nothing computes '{name}'"
    parts = [part for part in (spec.scores, spec.objectness, spec.boxes, spec.keypoints) if part]
    maps = {each.output for part in parts for each in part if each.maps}
    flat = next((name for name in maps if len(static_shape(outputs[name]) or []) != 4), None)
    if flat is not None:
        return f"the shape of '{flat}' is {static_shape(outputs[flat])}, and feature maps of one image were expected"
    anchors = sum(level.anchors for level in spec.levels) or count_rows(outputs, spec.boxes)
    if any(count_rows(outputs, part) != anchors for part in parts):
        return f"not every output has {anchors} anchors"
    return None


def _scores(add: Builder, cut: ColumnCutter, spec: AnchorPostprocess) -> ir.Value:
    scores = cut.join(spec.scores)
    if spec.activation == "sigmoid":
        scores = add.op("Sigmoid", scores)
    if spec.activation == "softmax":
        scores = add.op("Softmax", scores, axis=1)
    if spec.background:
        scores = add.slice(scores, 1, 1, 1 + spec.classes)
    if not spec.objectness:
        return scores
    second = cut.join(spec.objectness)
    if spec.activation == "sigmoid":
        second = add.op("Sigmoid", second)
    second = add.op("Clip", second, add.const(0.0), add.const(1.0))
    if spec.exponents == (0.5, 0.5):
        # sqrt(class score * objectness): [A, C] * [A, 1]
        return add.op("Sqrt", add.op("Mul", scores, second))
    return add.op("Mul", *(_power(add, *each) for each in zip((scores, second), spec.exponents, strict=True)))


def _power(add: Builder, value: ir.Value, exponent: float) -> ir.Value:
    return value if exponent == 1 else add.op("Pow", value, add.const(exponent))


def _boxes(add: Builder, offsets: ir.Value, spec: AnchorPostprocess) -> ir.Value:
    """Return centre x y, width, height [A, 4] in pixels."""
    if spec.coding == "corners":
        if spec.parts:
            height, width = spec.size
            offsets = add.op("Mul", offsets, add.const(np.array([[width, height, width, height]])))
        return _centred(add, add.slice(offsets, 1, 0, 2), add.slice(offsets, 1, 2, 4))
    centre, size = anchor_boxes(spec)  # [A, 2], [A, 2]
    if spec.coding == "distribution":
        offsets = _expected_sides(add, offsets, len(centre), spec.boxes[0].width // 4)
    # [A, 4] -> [A, 2], [A, 2]
    first, second = add.slice(offsets, 1, 0, 2), add.slice(offsets, 1, 2, 4)
    if spec.coding in ("yolov5", "fastestdet"):
        return add.op("Concat", *_cell_boxes(add, first, second, spec), axis=1)
    if spec.coding in ("distances", "distribution"):
        anchors, sizes = add.const(centre), add.const(size)
        start = add.op("Sub", anchors, add.op("Mul", first, sizes))
        return _centred(add, start, add.op("Add", anchors, add.op("Mul", second, sizes)))
    moved, grown = np.array(spec.variances, np.float32)
    if spec.coding == "exponential":
        second = add.op("Exp", second if grown == 1 else add.op("Mul", second, add.const(grown)))
    else:
        moved = np.float32(1)
    position = add.op("Add", add.const(centre), add.op("Mul", first, add.const(moved * size)))
    return add.op("Concat", position, add.op("Mul", second, add.const(size)), axis=1)


def _cell_boxes(add: Builder, first: ir.Value, second: ir.Value, spec: AnchorPostprocess) -> tuple[ir.Value, ir.Value]:
    """Return centre and size, each [A, 2], from offsets in cells."""
    (centre, size), stride = anchor_boxes(spec), anchor_strides(spec)
    share = (lambda value: add.op("Sigmoid", value)) if spec.sigmoid_boxes else (lambda value: value)
    if spec.coding == "fastestdet":
        moved, grown = add.op("Tanh", first), share(second)
        stretched = add.op("Mul", moved, add.const(stride))
    else:
        # (2 s - 1) * stride = s * 2 stride - stride; (2 s)^2 * size = s * s * 4 size
        shares, sizes = share(first), share(second)
        grown = add.op("Mul", sizes, sizes)
        size = np.float32(4) * size
        stretched = add.op("Mul", shares, add.const(2 * stride))
        centre = centre - stride
    return add.op("Add", add.const(centre), stretched), add.op("Mul", grown, add.const(size))


def _keypoints(add: Builder, offsets: ir.Value, spec: AnchorPostprocess) -> ir.Value:
    """Return x y of each keypoint [A, keypoints * 2] in pixels."""
    centre, size = anchor_boxes(spec)
    pairs = spec.keypoints[0].width // 2
    moved = add.op("Mul", offsets, add.const(np.tile(size, pairs) * np.float32(spec.variances[0])))
    return add.op("Add", add.const(np.tile(centre, pairs)), moved)


def _expected_sides(add: Builder, distributions: ir.Value, anchors: int, bins: int) -> ir.Value:
    """Return the mean [A, 4] of the distributions [A, 4 * bins]."""
    # softmax([A * 4, bins]) @ [0, 1, ..., bins - 1] -> [A * 4, 1] -> [A, 4]
    shares = add.op("Softmax", add.reshape(distributions, [anchors * 4, bins]), axis=1)
    return add.reshape(add.op("MatMul", shares, add.const(np.arange(bins)[:, None])), [anchors, 4])


def _centred(add: Builder, start: ir.Value, end: ir.Value) -> ir.Value:
    """Return centre x y, width, height [A, 4] from two corners [A, 2]."""
    centre = add.op("Mul", add.op("Add", start, end), add.const(0.5))
    return add.op("Concat", centre, add.op("Sub", end, start), axis=1)
