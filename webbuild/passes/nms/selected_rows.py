"""The rows that a NonMaxSuppression selects, as an index vector of fixed length and a mask."""

from __future__ import annotations

from collections.abc import Container, Iterator

import numpy as np
import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.use_def import LAYOUT_OPS, selects_box_index, slice_bounds
from webbuild.passes.builder import Builder
from webbuild.passes.graphs import trial_copy
from webbuild.passes.rewrite import (
    constant,
    consumers,
    find_nodes,
    fusable_consumers,
    input_value,
    known_rank,
    redirect_consumers,
    static_shape,
)

_MOST = 1 << 24
"""Limit of indices that are exact in float32."""
_CHOOSING_OPS = ("NonZero", "NonMaxSuppression", "Compress", "If", "Loop")
"""Operators whose output size depends on the data."""


class SelectedRows(Struct, frozen=True):
    """The boxes that a NonMaxSuppression selects from one list.

    Attributes:
        nms: the NonMaxSuppression of boxes [1, N, 4] with scores [1, 1, N].
        places: int64 [n], the indices of the selected boxes; nothing else of the selection is read.
        boxes: N.
        most: largest number of selected boxes.
    """

    nms: ir.Node
    places: ir.Value
    boxes: int
    most: int


def _selected_rows(nms: ir.Node) -> SelectedRows | None:
    """Return the rows of NonMaxSuppression -> Gather(2) -> Squeeze -> Slice(:R), None for any other form."""
    scores, most = static_shape(nms.inputs[1]), constant(input_value(nms, 2))
    if scores is None or len(scores) != 3 or scores[:2] != [1, 1] or most is None or most.size != 1:
        return None
    limit, value = min(int(most.item()), scores[2]), nms.outputs[0]
    taken = False
    while len(readers := consumers(value)) == 1 and not value.is_graph_output():
        (node,) = readers
        bounds = slice_bounds(node)
        if node.graph is not nms.graph or node.inputs[0] is not value or len(node.outputs) != 1:
            break
        if selects_box_index(node) and not taken:
            taken = True
        elif taken and bounds is not None and (bounds[0], bounds[2]) == (0, 0) and bounds[1] > 0:
            limit = min(limit, bounds[1])
        elif not taken or node.op_type not in LAYOUT_OPS - {"Expand", "Transpose"}:
            break
        value = node.outputs[0]
    # [n] int64
    whole = taken and known_rank(value) == 1 and value.dtype == ir.DataType.INT64 and not value.is_graph_output()
    if not whole or not 0 < limit <= scores[2] < _MOST or not fusable_consumers(value):
        return None
    return SelectedRows(nms, value, scores[2], limit)


def undecided_rows(model: ir.Model) -> Iterator[SelectedRows]:
    """Yield the rows of each NonMaxSuppression that is followed by another data-dependent size."""
    for nms in find_nodes(model, "NonMaxSuppression"):
        rows = _selected_rows(nms)
        if rows is not None and chooses_again(rows.places):
            yield rows


def in_trial_copy(model: ir.Model, rows: SelectedRows) -> tuple[ir.Model, SelectedRows]:
    """Return a copy of the model to try a rewrite on, and the same rows in it."""
    trial, selected = trial_copy(model), rows.nms.outputs[0].name
    same = _selected_rows(next(node for node in trial.graph if node.outputs and node.outputs[0].name == selected))
    assert same is not None
    return trial, same


def _add_fixed_rows(graph: ir.Graph, selected: SelectedRows) -> tuple[ir.Value, ir.Value]:
    """Add the indices of the selected boxes, int32 [R], padded with 0, and a mask of the real ones, bool [R].

    Gather(1.0 .. N, selected) [n, 3]  ->  Concat(numbers, zeros [R, 3])[:R, 2] [R]: 0 is padding
    """
    rows, add = selected.most, _builder_after(graph, selected.nms)
    selected.nms.replace_input_with(2, add.const([rows], np.int64))
    numbers = add.op("Gather", add.const(np.arange(1, selected.boxes + 1)), selected.nms.outputs[0], axis=0)
    padded = add.op("Concat", numbers, add.const(np.zeros((rows, 3))), axis=0)
    column = add.reshape(add.slice(add.slice(padded, 0, 0, rows), 1, 2, 3), [rows])
    real = add.op("Greater", column, add.const([0.0]))
    places = add.cast(add.op("Max", add.op("Sub", column, add.const([1.0])), add.const([0.0])), ir.DataType.INT32)
    for value, kind in ((places, ir.DataType.INT32), (real, ir.DataType.BOOL)):
        value.type, value.shape = ir.TensorType(kind), ir.Shape([rows])
    return places, real


def _builder_after(graph: ir.Graph, node: ir.Node) -> Builder:
    after = list(graph)
    position = after.index(node) + 1
    return Builder(graph, after[position] if position < len(after) else None, f"{node.name or node.op_type}/rows")


def choose_fixed_rows(model: ir.Model, rows: SelectedRows) -> ir.Value:
    """Replace the selection by a fixed number of rows and a mask of the real ones; return the mask."""
    readers = consumers(rows.places)
    places, real = _add_fixed_rows(model.graph, rows)
    add = Builder(model.graph, readers[0], f"{rows.nms.name or rows.nms.op_type}/chosen")
    chosen = add.op("Compress", places, real, axis=0)
    numbers = add.cast(chosen, ir.DataType.INT64)
    chosen.type, chosen.shape = ir.TensorType(ir.DataType.INT32), ir.Shape([None])
    numbers.type, numbers.shape = rows.places.type, ir.Shape([None])
    redirect_consumers(rows.places, numbers)
    model.graph.sort()
    return real


def chooses_again(places: ir.Value, *, but: Container[str] = ()) -> bool:
    """Whether a node after the selection has another data-dependent output size."""
    waiting, seen = [places], set[ir.Node]()
    while waiting:
        for node in consumers(waiting.pop()):
            if node.op_type in _CHOOSING_OPS and node.op_type not in but:
                return True
            if node not in seen:
                seen.add(node)
                waiting += node.outputs
    return False


def is_filled_up(nms: ir.Node) -> bool:
    """Whether the output of a NonMaxSuppression is already padded to a fixed number of rows."""
    return listing_gather(nms) is not None


def listing_gather(nms: ir.Node) -> ir.Node | None:
    """Return the Gather(1.0 .. N, selected) that is the only reader of a selection, None if there is none."""
    readers = fusable_consumers(nms.outputs[0])
    gather = readers[0] if len(readers) == 1 and not nms.outputs[0].is_graph_output() else None
    listed = constant(gather.inputs[0]) if gather is not None and gather.op_type == "Gather" else None
    first = None if listed is None or not listed.size else listed.flat[0]
    return gather if first == 1 and gather is not None and gather.inputs[1] is nms.outputs[0] else None
