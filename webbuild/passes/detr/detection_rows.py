"""Builds the `detections` rows [rows, 6] from the outputs of a DETR-like detector."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import opset_version, static_shape
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.output_names import DETECTIONS

_MIN_OPSET = 11
"""First opset with today's TopK and with integer arithmetic."""


def detr_rows_blocker(model: ir.Model, spec: DetrPostprocess) -> str | None:
    """Return why the rows cannot be built from the outputs, None if they can."""
    values = {value.name: value for value in model.graph.outputs}
    if missing := [name for name in spec.replaced_outputs if name not in values]:
        return f"no output has the name '{missing[0]}'"
    if spec.size_input and all(value.name != spec.size_input for value in model.graph.inputs):
        return f"no input has the name '{spec.size_input}'"
    shapes = {name: static_shape(values[name]) for name in spec.replaced_outputs}
    for name, wanted in _expected_shapes(spec, shapes[spec.output]).items():
        if shapes[name] != wanted:
            return f"the shape of '{name}' is {shapes[name]}, and {wanted} was expected"
    for name in (spec.output, spec.boxes):
        if values[name].dtype != ir.DataType.FLOAT:
            return f"'{name}' is not float32"
    if any(values[name].is_graph_input() or values[name].is_initializer() for name in spec.replaced_outputs):
        return "no node computes it"
    if any(value.name == DETECTIONS and value.name not in spec.replaced_outputs for value in model.graph.outputs):
        return f"another output has the name '{DETECTIONS}'"
    return f"the model's opset is older than {_MIN_OPSET}" if opset_version(model) < _MIN_OPSET else None


def _expected_shapes(spec: DetrPostprocess, first: list[int] | None) -> dict[str, list[int]]:
    """Return the expected shape of each output; logits may have any number of classes."""
    if spec.layout == "centred":
        return {spec.output: [1, spec.rows, 6]}
    if spec.layout == "table":
        return {spec.output: [1, spec.rows, max(5, first[2] if first is not None and len(first) == 3 else 0)]}
    boxes = {spec.boxes: [1, spec.rows, 4]}
    if spec.layout == "parts":
        return {spec.output: [1, spec.rows], spec.labels: [1, spec.rows], **boxes}
    classes = first[2] if first is not None and len(first) == 3 else 1
    return {spec.output: [1, spec.rows, classes], **boxes}


def build_detr_rows(add: Builder, model: ir.Model, spec: DetrPostprocess, confidence: ir.Value) -> ir.Value:
    """Add the nodes that compute the rows from the outputs, and return the rows [rows, 6]."""
    values = {value.name: value for value in model.graph.outputs}
    if spec.layout == "parts":
        boxes = add.reshape(values[spec.boxes], [spec.rows, 4])
        if spec.size_input:
            boxes = add.op("Mul", boxes, _box_scale(add, model, spec))
        score = add.reshape(values[spec.output], [spec.rows])
        label = add.reshape(values[spec.labels], [spec.rows])
        return _sorted_rows(
            add, spec, boxes, score, label, confidence, is_sorted=_is_sorted_by_score(values[spec.output])
        )
    if spec.layout != "queries":
        return _sorted_rows(add, spec, *_columns(add, values[spec.output], spec), confidence, is_sorted=False)
    # boxes [1, Q, 4] -> [Q, 4]
    corners = _corners(add, values[spec.boxes], spec)
    if spec.softmax:
        return _sorted_rows(add, spec, corners, *_softmax(add, values[spec.output]), confidence, is_sorted=False)
    classes = _static_size(values[spec.output], 2)
    # sigmoid(logits [1, Q, C]) -> [Q * C] -> TopK [R]; index = query * C + class
    flat = add.reshape(add.op("Sigmoid", values[spec.output]), [-1])
    best, index = add.node("TopK", flat, add.const([spec.rows], np.int64), outputs=2, axis=0)
    label = add.op("Mod", index, add.const(classes, np.int64))
    boxes = add.op("Gather", corners, add.op("Div", index, add.const(classes, np.int64)), axis=0)
    return _sorted_rows(add, spec, boxes, best, label, confidence, is_sorted=True)


def _box_scale(add: Builder, model: ir.Model, spec: DetrPostprocess) -> ir.Value:
    """Return the factors [1, 4] that scale box corners to pixels of the input."""
    size_input = next(value for value in model.graph.inputs if value.name == spec.size_input)
    size = add.reshape(size_input, [1, 2])
    if size_input.dtype != ir.DataType.FLOAT:
        size = add.cast(size, ir.DataType.FLOAT)
    height, width = spec.size
    input_size = [width, height] if spec.size_order == "width-height" else [height, width]
    # boxes are in pixels of `size`: times input_size / size, [1, 2]
    scale = add.op("Div", add.const(np.array([input_size])), size)
    if spec.size_order == "height-width":
        scale = add.op("Concat", *reversed(add.split(scale, 2, axis=1)), axis=1)
    return add.op("Concat", scale, scale, axis=1)


def _corners(add: Builder, boxes: ir.Value, spec: DetrPostprocess) -> ir.Value:
    """Return x1 y1 x2 y2 [queries, 4] in pixels of the input."""
    flat = add.reshape(boxes, [-1, 4])
    # cx cy w h in 0..1 -> x1 y1 x2 y2 in pixels: (centre -+ size / 2) * (W, H, W, H)
    centre, size = add.split(flat, 2, axis=1)
    half = add.op("Mul", size, add.const(0.5))
    joined = add.op("Concat", add.op("Sub", centre, half), add.op("Add", centre, half), axis=1)
    height, width = spec.size
    return add.op("Mul", joined, add.const(np.array([[width, height, width, height]])))


def _columns(add: Builder, output: ir.Value, spec: DetrPostprocess) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Return corners [R, 4], score [R] and label [R] of an output that has all three."""
    numbers = _static_size(output, 2)
    # [1, R, numbers] -> [R, numbers]: box, then score and label, or a score for each class
    table = add.reshape(output, [spec.rows, numbers])
    corners, rest = _corners(add, add.slice(table, 1, 0, 4), spec), add.slice(table, 1, 4, numbers)
    if spec.layout == "table":
        return corners, add.reduce("ReduceMax", rest, 1, keepdims=0), add.op("ArgMax", rest, axis=1, keepdims=0)
    flat = add.const([spec.rows], np.int64)
    score, label = (add.op("Reshape", add.slice(rest, 1, at, at + 1), flat) for at in (0, 1))
    return corners, score, label


def _softmax(add: Builder, logits: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return the score and the label of each query, [queries] each."""
    queries, classes = _static_size(logits, 1), _static_size(logits, 2)
    # [1, Q, C + 1] -> [Q, C + 1]; the last class means "no object"
    table = add.op("Softmax", add.reshape(logits, [queries, classes]), axis=1)
    known = add.slice(table, 1, 0, classes - 1)
    return add.reduce("ReduceMax", known, 1, keepdims=0), add.op("ArgMax", known, axis=1, keepdims=0)


def _sorted_rows(
    add: Builder,
    spec: DetrPostprocess,
    boxes: ir.Value,
    score: ir.Value,
    label: ir.Value,
    confidence: ir.Value,
    *,
    is_sorted: bool,
) -> ir.Value:
    """Join the columns, sort the rows by descending score, and set rows at or below the threshold to zero."""
    column = add.const([-1, 1], np.int64)
    number = add.cast(label, ir.DataType.FLOAT)
    # [R, 4], [R, 1], [R, 1] -> [R, 6]
    parts = [boxes, add.op("Reshape", score, column), add.op("Reshape", number, column)]
    rows = add.op("Concat", *parts, axis=1)
    if not is_sorted:
        score, order = add.node("TopK", score, add.const([spec.rows], np.int64), outputs=2, axis=0)
        rows = add.op("Gather", rows, order, axis=0)
    above = add.op("Reshape", add.op("Greater", score, confidence), column)
    return add.op("Where", above, rows, add.const(0.0))


def _is_sorted_by_score(scores: ir.Value) -> bool:
    """Whether the scores come from a TopK, so that they are already sorted."""
    node = scores.producer()
    return (
        node is not None
        and node.op_type == "TopK"
        and node.outputs[0] is scores
        and node.attributes.get_int("largest", 1) == 1
        and node.attributes.get_int("sorted", 1) == 1
    )


def _static_size(value: ir.Value, axis: int) -> int:
    shape = static_shape(value)
    assert shape is not None
    return shape[axis]
