"""Post-processing for a detector that was exported without."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes._appended import suppressed_rows
from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, dims
from webbuild.passes._shapes import infer
from webbuild.passes.threshold_inputs import add_threshold
from webbuild.raw_head import DETECTIONS, RawHead

KEY = "webbuild.appended"
"""Metadata key that says that the head is there, and for which layout."""

_OLDEST = 11
"""The opset since which Pad takes its amounts as an input, and TopK and Slice are what they are."""

_TRIANGLE = 14
"""The opset since which there is Trilu."""


class AppendHead(Pass):
    """Appends the post-processing to a detector that was exported without it.

    The raw output, a box and a score for each class at every anchor, is hundreds of times what a page wants. It is
    replaced by the output `detections`: best class of every anchor, confidence threshold, NonMaxSuppression
    within each class, rows of falling score. It is written in the form that exporters write, which the passes for
    thresholds and fixed shapes then turn into what runs well. Other outputs, like the prototypes of masks, stay.

    An end-to-end head needs no suppression: its rows are sorted, those below the confidence threshold become zero.
    """

    code = "append-head"
    after = ("fold-constants", "freeze-dimensions")

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Append the head that the options describe, once."""
        raw = options.raw
        if not isinstance(raw, RawHead) or KEY in model.metadata_props:
            return []
        where = f"output '{raw.output}'"
        output = next((value for value in model.graph.outputs if value.name == raw.output), None)
        shape = dims(output)
        if output is None or shape is None or len(shape) != 3:
            return [self.left(where, "its shape is not fixed, or no output has that name")]
        if (why := _unfit(model, output, shape, raw)) is not None:
            return [self.left(where, why)]
        anchors = shape[2] if raw.layout == "columns" else shape[1]
        add = Builder(model.graph, None, "detections")
        rows = anchors if raw.layout == "final" else min(anchors, raw.max_detections)
        table = _table(add, output, raw, anchors)
        if raw.layout == "final":
            found = _confident(add, table, add_threshold(model, "confidence", raw.confidence), rows)
        else:
            found = suppressed_rows(add, table, raw, rows)
        shape = [1, rows, raw.columns]
        put_rows(model, [output], add.op("Reshape", found, add.const(shape, np.int64)), shape)
        model.metadata_props[KEY] = raw.layout
        infer(model)
        what = "a confidence threshold" if raw.layout == "final" else f"suppression over {anchors} anchors"
        return [self.done(where, f"{what} was appended; '{DETECTIONS}' {shape} takes its place")]


def _unfit(model: ir.Model, output: ir.Value, shape: list[int], raw: RawHead) -> str | None:
    """Return why the head cannot be appended, None if it can."""
    numbers = shape[1] if raw.layout == "columns" else shape[2]
    if shape[0] != 1 or numbers != raw.numbers:
        return f"its shape is {shape}, and {raw.numbers} numbers for each box of one picture were expected"
    if output.dtype != ir.DataType.FLOAT:
        return "it is not float32"
    if output.is_graph_input() or output.is_initializer():
        return "nothing computes it"
    if model.graph.opset_imports.get("", 0) < _OLDEST:
        return f"the model's opset is older than {_OLDEST}"
    if raw.rotated and raw.layout != "final" and model.graph.opset_imports.get("", 0) < _TRIANGLE:
        return f"rotated boxes need opset {_TRIANGLE}, for the upper triangle of a matrix"
    if any(value is not output and value.name == DETECTIONS for value in model.graph.outputs):
        return f"another output has the name '{DETECTIONS}'"
    return None


def _table(add: Builder, output: ir.Value, raw: RawHead, anchors: int) -> ir.Value:
    """Return the raw output as [anchors, numbers]."""
    if raw.layout != "columns":
        return add.op("Reshape", output, add.const([anchors, raw.numbers], np.int64))
    flat = add.op("Reshape", output, add.const([raw.numbers, anchors], np.int64))
    return add.op("Transpose", flat, perm=[1, 0])


def _confident(add: Builder, table: ir.Value, confidence: ir.Value, rows: int) -> ir.Value:
    """Return the rows [rows, columns] by falling score, those zero whose score is not above the threshold."""
    bounds = [add.const([value], np.int64) for value in (4, 5, 1)]
    score = add.op("Reshape", add.op("Slice", table, *bounds), add.const([rows], np.int64))
    best, order = add.node("TopK", score, add.const([rows], np.int64), outputs=2, axis=0)
    above = add.op("Greater", best, confidence)
    real = add.op("Reshape", above, add.const([rows, 1], np.int64))
    return add.op("Where", real, add.op("Gather", table, order, axis=0), add.const(0.0))


def put_rows(model: ir.Model, outputs: Sequence[ir.Value], found: ir.Value, shape: list[int]) -> None:
    """Let `found` be the graph's output in the place of the first of `outputs`, and take the others away."""
    for value in (value for node in model.graph for value in node.outputs):
        if value.name == DETECTIONS:
            value.name = f"{DETECTIONS}_before"
    found.name, found.shape, found.type = DETECTIONS, ir.Shape(shape), ir.TensorType(ir.DataType.FLOAT)
    kept = [found if value is outputs[0] else value for value in model.graph.outputs if value not in outputs[1:]]
    model.graph.outputs[:] = kept
