"""Outputs padded to a fixed number of boxes: zeros after the last box, and the number of boxes."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.model.unused_name import unused_name
from webbuild.passes.builder import Builder
from webbuild.passes.graphs import graph_names
from webbuild.passes.nms.generic_pattern import GenericNmsPattern
from webbuild.passes.rewrite import LOW, LOWEST, constant, replace_all_uses

_PADDED_ROWS_KEY = "webbuild.rows"
"""Metadata key: the number of boxes that fit into the padded outputs."""


def pad_selected_outputs(
    model: ir.Model, pattern: GenericNmsPattern, selected: ir.Value, real: ir.Value, count: ir.Value, rows: int
) -> None:
    """Let all readers of the selection read `selected`, and make every output zero where `real` is false.

    Args:
        model: the model.
        pattern: the selection, of which only the NMS node has been replaced so far.
        selected: [rows, 3] of batch, class and box; zeros after the last box.
        real: bool [rows], whether a row is a selected box.
        count: int64 [1], the number of selected boxes.
        rows: the number of rows.
    """
    for use in list(pattern.nms.outputs[0].uses()):
        if use.node is not selected.producer() and use.node in pattern.dependent_nodes:
            use.node.replace_input_with(use.idx, selected)
    for node in pattern.count_readers:
        add = Builder(model.graph, node, f"{node.name or node.op_type}/count")
        wanted = constant(node.inputs[1]) if node.op_type == "Gather" else None
        replace_all_uses(node.outputs[0], add.reshape(count, [1] if wanted is None or wanted.ndim else []))
    if pattern.ranking is not None:
        rows = min(rows, pattern.ranking[1] or rows)
        real = _rank_fixed(model, pattern.ranking[0], real, rows)
    for value in pattern.outputs:
        _zero_padding(
            model, value, selected if value is pattern.nms.outputs[0] else value, real, pattern.axes[value], rows
        )
    model.graph.sort()
    model.metadata_props[_PADDED_ROWS_KEY] = str(rows)


def _rank_fixed(model: ir.Model, ranking: ir.Node, real: ir.Value, rows: int) -> ir.Value:
    """Let a TopK keep `rows` boxes, padding last; return whether each is a selected box, bool [rows]."""
    add = Builder(model.graph, ranking, f"{ranking.name or 'TopK'}/rows")
    ranking.replace_input_with(0, add.op("Where", real, ranking.inputs[0], add.const(LOWEST)))
    ranking.replace_input_with(1, add.const([rows], np.int64))
    after = Builder(model.graph, None, f"{ranking.name or 'TopK'}/real")
    return after.op("Greater", ranking.outputs[0], after.const([LOW]))


def _zero_padding(model: ir.Model, output: ir.Value, value: ir.Value, real: ir.Value, axis: int, rows: int) -> None:
    """Replace an output of the graph by `value` with zeros after the last box."""
    add = Builder(model.graph, None, f"{output.name}/rows")
    shape = list(output.shape) if output.shape is not None else []
    # real [R] -> [1, ..., R, ..., 1], which broadcasts over the output's other axes
    ones = [1] * len(shape)
    ones[axis] = rows
    there = add.reshape(real, ones)
    wanted = output.dtype or ir.DataType.FLOAT
    kind = value.dtype or wanted
    if kind == ir.DataType.BOOL:
        filled = add.op("And", value, there)
    else:
        filled = add.op("Where", there, value, add.const(0, kind.numpy()))
    if kind != wanted:
        filled = add.cast(filled, wanted)
    shape[axis] = rows
    filled.name, output.name = output.name, unused_name(graph_names(model.graph), f"{output.name}_before")
    filled.shape, filled.type = ir.Shape(shape), ir.TensorType(wanted)
    for index, each in enumerate(model.graph.outputs):
        if each is output:
            model.graph.outputs[index] = filled
