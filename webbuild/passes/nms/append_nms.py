from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.anchor_table import anchor_table_blocker, build_anchor_table
from webbuild.passes.nms.box_nms_builder import build_box_nms
from webbuild.passes.nms.output_columns import count_rows
from webbuild.passes.nms.promote_thresholds import add_threshold_input
from webbuild.passes.opset.raise_opset import raise_opset
from webbuild.passes.rewrite import static_shape
from webbuild.postprocess.anchors import AnchorPostprocess
from webbuild.postprocess.output_names import DETECTIONS
from webbuild.postprocess.yolo import YoloPostprocess

NMS_APPENDED_KEY = "webbuild.appended"
"""Metadata key of a model with appended NMS; its value is the layout of the original output."""

_MIN_OPSET = 11
"""The first opset in which Pad takes its amounts as an input, and TopK and Slice have their current form."""

_TRILU_OPSET = 14
"""The first opset with Trilu."""


class AppendNms(Pass):
    """Appends NMS post-processing to a detector that was exported without it.

        output [1, 4 + C, A]  ->  detections [1, K, 6]        K = min(A, max_detections)

            table  [A, 4 + C]      Transpose
            score, label [A]       ReduceMax, ArgMax over C
            candidates [n]         NonZero(score > confidence)
            kept [m], m <= K       NonMaxSuppression(boxes + label * offset, score)
            rows [K, 6]            x1 y1 x2 y2 score label, zeros after the m-th

    Why: the raw output has a box and a score per class for every anchor: hundreds of times what a page needs.

    How: the output `detections` replaces it: the best class of every anchor, a confidence threshold, NonMaxSuppression
    within each class, rows sorted by descending score. The nodes have the form that exporters write, so that the passes
    for thresholds and static shapes optimize them. Other outputs, such as mask prototypes, stay.

    - An end-to-end head needs no NMS: its rows are sorted, and those below the confidence threshold become zero.
    - Separate outputs for scores and boxes, as face detectors have, are first decoded to such a table:
      `AnchorPostprocess` describes how.
    - An older model is raised to opset 11.

    Limits: one image, float32, opset 11 or a model that can be raised to it; rotated boxes need Trilu of opset 14.

    Source: `non_max_suppression` of Ultralytics; YOLOX's `demo_postprocess` for the layout with strides. The NumPy
    reference is `webbuild/postprocess/reference_nms.py`.
    """

    code = "append-nms"
    after = ("fold-constants", "fix-dynamic-dims", "float16-io")
    scope = "main graph"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        spec = options.missing_postprocess
        if not isinstance(spec, YoloPostprocess | AnchorPostprocess) or NMS_APPENDED_KEY in model.metadata_props:
            return []
        if isinstance(spec, AnchorPostprocess):
            return [self._append_to_anchors(model, spec)]
        where = f"output '{spec.output}'"
        output = next((value for value in model.graph.outputs if value.name == spec.output), None)
        shape = static_shape(output)
        if output is None or shape is None or len(shape) != 3:
            return [self.skipped(where, "its shape is not fixed, or no output has that name")]
        reason = _append_blocker(model, output, shape, spec) or raise_opset(model, _MIN_OPSET)
        if reason is not None:
            return [self.skipped(where, reason)]
        output = next(value for value in model.graph.outputs if value.name == spec.output)
        anchors = shape[2] if spec.layout == "columns" else shape[1]
        add = Builder(model.graph, None, "detections")
        rows = anchors if spec.layout == "final" else min(anchors, spec.max_detections)
        table = _anchor_table(add, output, spec, anchors)
        if spec.layout == "final":
            detections = _confident_rows(add, table, add_threshold_input(model, "confidence", spec.confidence), rows)
        else:
            detections = build_box_nms(add, table, spec, rows)
        shape = [1, rows, spec.columns]
        replace_outputs_with_rows(model, [output], add.reshape(detections, shape), shape)
        model.metadata_props[NMS_APPENDED_KEY] = spec.layout
        infer_shapes(model)
        what = "a confidence threshold" if spec.layout == "final" else f"suppression over {anchors} anchors"
        return [self.applied(where, f"{what} was appended; '{DETECTIONS}' {shape} takes its place")]

    def _append_to_anchors(self, model: ir.Model, spec: AnchorPostprocess) -> Rewrite:
        """Decode separate outputs to one table, and append the NMS of a raw output."""
        where = f"output '{spec.output}'"
        outputs = {value.name: value for value in model.graph.outputs}
        reason = anchor_table_blocker(outputs, spec) or _taken_name(model, spec.replaced_outputs)
        reason = reason or raise_opset(model, _MIN_OPSET)
        if reason is not None:
            return self.skipped(where, reason)
        outputs = {value.name: value for value in model.graph.outputs}
        add = Builder(model.graph, None, "detections")
        table = build_anchor_table(add, outputs, spec)
        anchors = count_rows(outputs, spec.boxes)
        rows = min(anchors, spec.max_detections)
        shape = [1, rows, spec.suppression.columns]
        detections = add.reshape(build_box_nms(add, table, spec.suppression, rows), shape)
        replace_outputs_with_rows(model, [outputs[name] for name in spec.replaced_outputs], detections, shape)
        model.metadata_props[NMS_APPENDED_KEY] = spec.coding
        infer_shapes(model)
        taken = ", ".join(f"'{name}'" for name in spec.replaced_outputs)
        return self.applied(
            where,
            f"boxes were decoded, suppression over {anchors} anchors was appended; "
            f"'{DETECTIONS}' {shape} takes the place of {taken}",
        )


def _append_blocker(model: ir.Model, output: ir.Value, shape: list[int], spec: YoloPostprocess) -> str | None:
    numbers = shape[1] if spec.layout == "columns" else shape[2]
    if shape[0] != 1 or numbers != spec.row_width:
        return f"its shape is {shape}, and {spec.row_width} numbers for each box of one image were expected"
    if output.dtype != ir.DataType.FLOAT:
        return "it is not float32"
    if output.is_graph_input() or output.is_initializer():
        return "nothing computes it"
    if spec.rotated and spec.layout != "final" and model.graph.opset_imports.get("", 0) < _TRILU_OPSET:
        return f"rotated boxes need opset {_TRILU_OPSET}, for the upper triangle of a matrix"
    return _taken_name(model, [spec.output])


def _taken_name(model: ir.Model, replaced: Sequence[str]) -> str | None:
    taken = any(value.name == DETECTIONS and value.name not in replaced for value in model.graph.outputs)
    return f"another output has the name '{DETECTIONS}'" if taken else None


def _anchor_table(add: Builder, output: ir.Value, spec: YoloPostprocess, anchors: int) -> ir.Value:
    """Return the raw output as [anchors, numbers]."""
    if spec.layout != "columns":
        return add.reshape(output, [anchors, spec.row_width])
    # [1, 4 + C, A] -> [4 + C, A] -> [A, 4 + C]
    flat = add.reshape(output, [spec.row_width, anchors])
    return add.op("Transpose", flat, perm=[1, 0])


def _confident_rows(add: Builder, table: ir.Value, confidence: ir.Value, rows: int) -> ir.Value:
    """Return the rows [rows, columns] by descending score; rows not above the threshold become zero."""
    # column 4 of [A, 6] is the score: [A, 1] -> [A]
    score = add.reshape(add.slice(table, 1, 4, 5), [rows])
    best, order = add.node("TopK", score, add.const([rows], np.int64), outputs=2, axis=0)
    above = add.op("Greater", best, confidence)
    real = add.reshape(above, [rows, 1])
    return add.op("Where", real, add.op("Gather", table, order, axis=0), add.const(0.0))


def replace_outputs_with_rows(model: ir.Model, outputs: Sequence[ir.Value], rows: ir.Value, shape: list[int]) -> None:
    """Replace the first of `outputs` of the graph by `rows`, and remove the others."""
    for value in (value for node in model.graph for value in node.outputs):
        if value.name == DETECTIONS:
            value.name = f"{DETECTIONS}_before"
    rows.name, rows.shape, rows.type = DETECTIONS, ir.Shape(shape), ir.TensorType(ir.DataType.FLOAT)
    remaining = [rows if value is outputs[0] else value for value in model.graph.outputs if value not in outputs[1:]]
    model.graph.outputs[:] = remaining
