"""Removal of a NonMaxSuppression of one image from the graph, for one or several labels; the runtime does it."""

from __future__ import annotations

import math

import onnx_ir as ir
from msgspec import UNSET, UnsetType

from webbuild.manifest.inputs.tensor import DType
from webbuild.manifest.output import Output
from webbuild.manifest.suppression import MultiLabel, Suppression
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.analysis.use_def import LAYOUT_OPS, skip_layout_ops
from webbuild.passes.builder import Builder
from webbuild.passes.nms.end_before_suppression import NAMELESS, end_before_suppression
from webbuild.passes.nms.generic_pattern import GenericNmsPattern
from webbuild.passes.nms.rows_by_box import Columns, add_rows, probe_columns
from webbuild.passes.rewrite import constant_number, consumers

_MOST_SCORES = 1 << 21
"""Largest number of scores, labels times boxes. The shader needs 40 bytes for each score, 84 MB in all. Its largest
buffer is 64 MiB; every WebGPU device binds up to 128 MiB."""
_DTYPES: dict[ir.DataType | None, DType] = {
    ir.DataType.FLOAT: "float32",
    ir.DataType.INT64: "int64",
    ir.DataType.INT32: "int32",
}


def cut_selection(model: ir.Model, tail: GenericNmsPattern) -> int | str:
    """Let the graph end before NMS, and return the number of rows; or return why it cannot."""
    thresholds = _thresholds(tail)
    counts, scores = _count_outputs(model, tail), tail.nms.inputs[1]
    if tail.batches != 1:
        return f"it selects boxes of {tail.batches} pictures"
    if isinstance(thresholds, str):
        return thresholds
    if tail.max_selected is None:
        return "the number of boxes per label is computed"
    if scores is None or scores.dtype != ir.DataType.FLOAT:
        return "its scores are not float32"
    if tail.classes * tail.boxes > _MOST_SCORES:
        return f"it has {tail.classes * tail.boxes:,} scores, and the runtime's shader takes up to {_MOST_SCORES:,}"
    if isinstance(counts, str):
        return counts
    columns = probe_columns(model)
    if isinstance(columns, str):
        return columns
    _end_graph(model, tail, columns, thresholds, counts)
    return _rows_out(tail)


def _rows_out(tail: GenericNmsPattern) -> int:
    """Return the number of rows of the outputs, the same as in the graph for WebAssembly."""
    _, rows = tail.capacity
    return min(rows, tail.ranking[1] or rows) if tail.ranking else rows


def _thresholds(tail: GenericNmsPattern) -> dict[str, str] | str:
    """Return the graph input of each threshold, or why there is none."""
    inputs = {}
    for name, (node, at) in tail.thresholds.items():
        value = skip_layout_ops(node.inputs[at])
        if value is None or not value.is_graph_input() or value.is_initializer():
            return "a threshold is computed"
        inputs[name] = value.name or ""
    return inputs


def _count_outputs(model: ir.Model, tail: GenericNmsPattern) -> list[ir.Value] | str:
    """Return the output that is the number of boxes, if there is one; or why it is not supported."""
    counted = {output for node in tail.count_readers for output in node.outputs}
    reached, waiting = set(counted), list(counted)
    while waiting:
        for node in consumers(waiting.pop()):
            output = [value for value in node.outputs if value not in tail.axes and value not in reached]
            reached.update(output)
            waiting += output
    outputs = [value for value in model.graph.outputs if value in reached]
    if len(outputs) > 1:
        return f"{len(outputs)} outputs are computed from the number of boxes"
    for value in outputs:
        known = math.prod(_sizes(value)) == 1 and value.dtype in _DTYPES
        if not known or not _is_count(value, counted, tail):
            return f"'{value.name}' is computed from the number of boxes"
    return outputs


def _is_count(value: ir.Value, counted: set[ir.Value], tail: GenericNmsPattern) -> bool:
    """Whether a value is the number of rows, limited to the K of the TopK if there is one."""
    limited = tail.ranking is None or tail.ranking[1] is None
    while value not in counted:
        node = value.producer()
        if node is None or node.op_type not in {*LAYOUT_OPS, "Cast", "Identity", "Min", "Gather"}:
            return False
        if node.op_type == "Min":
            others = [each for each in node.inputs if constant_number(each) is None]
            bounds = [constant_number(each) for each in node.inputs if each not in others]
            if len(others) != 1 or tail.ranking is None or bounds != [tail.ranking[1]]:
                return False
            limited, before = True, others[0]
        else:
            before = node.inputs[0]
        if before is None:
            return False
        value = before
    return limited


def _sizes(value: ir.Value) -> list[int]:
    return [dim if isinstance(dim, int) else 0 for dim in value.shape or ()]


def _end_graph(
    model: ir.Model, tail: GenericNmsPattern, columns: Columns, thresholds: dict[str, str], counts: list[ir.Value]
) -> None:
    nms, rows, several = tail.nms, _rows_out(tail), tail.classes > 1
    described = [_output(value, tail, rows) for value in tail.outputs]
    names = [each.name for each in described]
    assert tail.max_selected is not None
    table = add_rows(model, tail, columns)
    outputs = [next(value for value in model.graph.outputs if value.name == name) for name in names]
    parts = {
        "boxes": (_corners(model, nms, tail.boxes), [tail.boxes, 4]),
        "scores": (nms.inputs[1], [tail.classes * tail.boxes]),
        "rows": (table, [tail.boxes, sum(columns.widths)]),
    }
    labels = MultiLabel(
        count=tail.classes,
        max_detections=min(tail.max_selected, rows),
        order="label" if tail.ranking is None else "score",
        score_column=_set(columns.score),
        label_column=_set(columns.label),
    )
    spec = Suppression(
        outputs=described,
        **NAMELESS,
        confidence=thresholds.get("confidence"),
        iou=thresholds.get("iou"),
        max_detections=min(rows, tail.max_selected * tail.classes),
        multi_label=labels if several else UNSET,
        row_count=_count(counts[0]) if counts else UNSET,
    )
    end_before_suppression(model, [*outputs, *counts], parts, spec)
    infer_shapes(model)  # an output may equal an intermediate value, and takes its type


def _output(value: ir.Value, tail: GenericNmsPattern, rows: int) -> Output:
    shape = [rows if axis == tail.axes[value] else size for axis, size in enumerate(_sizes(value))]
    return Output(name=value.name or "", dtype=_DTYPES[value.dtype], shape=shape)


def _count(value: ir.Value) -> Output:
    return Output(name=value.name or "", dtype=_DTYPES[value.dtype], shape=_sizes(value))


def _set(column: int | None) -> int | UnsetType:
    return UNSET if column is None else column


def _corners(model: ir.Model, nms: ir.Node, boxes: int) -> ir.Value:
    """Return two corners of each box, [boxes, 4]."""
    add = Builder(model.graph, None, "suppression/corners")
    center_boxes = add.reshape(nms.inputs[0], [boxes, 4])
    if not nms.attributes.get_int("center_point_box", 0):
        return center_boxes
    # x y width height -> x1 y1 x2 y2: centre -+ size / 2 (center_point_box = 1)
    centre, size = add.split(center_boxes, 2, axis=1)
    half = add.op("Div", size, add.const(2.0))
    return add.op("Concat", add.op("Sub", centre, half), add.op("Add", centre, half), axis=1)
