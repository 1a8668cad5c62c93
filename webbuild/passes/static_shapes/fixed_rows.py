from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.filled_rows import RowTrace
from webbuild.passes.analysis.use_def import IndexUses, UnknownNmsPatternError, trace_indices
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.limit_suppression import is_one_list
from webbuild.passes.nms.status_output import top_kept_rows
from webbuild.passes.rewrite import constant, find_nodes, known_rank, replace_all_uses, replace_output, static_shape

_MOST = 1 << 20
"""Largest number of rows to select from: a TopK sorts them, or a table contains their indices."""


class _Choice(Struct, frozen=True):
    """A node that selects up to `limit` of `length` rows.

    `order` maps its indices by a Gather from a list of indices, if there is one; `counts` are nodes that return the
    number of selected rows.
    """

    node: ir.Node
    length: int
    limit: int
    gathers: list[ir.Node]
    order: ir.Node | None
    counts: list[ir.Node]


class FixedRows(Pass):
    """Computes tensors that are later zero-padded to R rows with R rows from the start.

        NonMaxSuppression [n, 3] -> Gather(2) [n] -> Slice(:R) -> Gather(boxes) [m, 4] -> Pad(R - m) [R, 4]
            ->  NonMaxSuppression [n, 3] -> Concat([0, 0, N]) -> Slice(:R) -> Gather(boxes) [R, 4] -> Where(i < N)
        NonZero(mask [N]) [1, n] -> Slice(:R) -> Gather(boxes) [m, 4] -> Pad(R - m) [R, 4]
            ->  TopK(mask * (N, N - 1, ..., 1), R) -> Gather(boxes) [R, 4] -> Where

    Why: Ultralytics pads the rows that NMS keeps to a fixed number. The amount of padding is int64 arithmetic on the
    CPU, and nothing in between has a static shape.

    How: the index N stands for a missing row, which reads row 0 and then becomes zeros. NonMaxSuppression stays, with
    one Concat and one Slice of its int64 output. For a mask, a TopK on the GPU puts the selected rows first.

    Limits: one image and one list of scores; the nodes between the selection and the Pads do not mix rows. Exact.
    """

    code = "fixed-rows"
    after = ("limit-suppression", "shorten-size-vectors", "narrow-int64")
    target = "webgpu"
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for choice in list(_choices(model)):
            try:
                trace = RowTrace(model.graph, choice.gathers, choice.limit, choice.counts)
            except UnknownNmsPatternError as unknown:
                rewrites.append(self.skipped(choice.node, f"{unknown.where}: {unknown.reason}"))
                continue
            if trace.filled:
                _rewrite(model, choice, trace)
                rewrites.append(self.applied(choice.node, f"{choice.limit} rows from the start, zeros after the last"))
        return rewrites


def _choices(model: ir.Model) -> Iterator[_Choice]:
    for node in find_nodes(model, "NonMaxSuppression", "NonZero"):
        length = _length(node)
        if not 0 < length <= _MOST:
            continue
        try:
            yield from _uses(node, length)
        except UnknownNmsPatternError:
            continue


def _length(node: ir.Node) -> int:
    """Return the number of rows that a node selects from, 0 if it is unknown or there are several axes."""
    sizes = static_shape(node.inputs[0]) or []
    if node.op_type == "NonMaxSuppression":
        return sizes[1] if is_one_list(node) and len(sizes) == 3 else 0
    return sizes[0] if len(sizes) == 1 else 0


def _uses(node: ir.Node, length: int) -> Iterator[_Choice]:
    uses, order = trace_indices(node.outputs[0], node.name or node.op_type), None
    limits = [uses.limit, _own_limit(node)]
    if len(uses.gathers) == 1 and _is_list_of_numbers(uses.gathers[0]):
        order = uses.gathers[0]
        inner = trace_indices(order.outputs[0], node.name or node.op_type)
        limits.append(inner.limit)
        uses = IndexUses(inner.gathers, None, [*uses.shapes, *inner.shapes])
    known = [each for each in limits if each is not None]
    # the number of indices is the number of rows if no later Slice limits the rows further
    counts = uses.shapes if known and _own_limit(node) == min(known) else []
    plain = len(counts) == len(uses.shapes) and all(map(_gives_count, counts))
    if known and uses.gathers and plain and all(map(_takes_rows, uses.gathers)):
        yield _Choice(node, length, min(known), uses.gathers, order, counts)


def _own_limit(node: ir.Node) -> int | None:
    most = constant(node.inputs[2]) if node.op_type == "NonMaxSuppression" and len(node.inputs) > 2 else None
    return None if most is None or most.size != 1 or most.item() >= _MOST else int(most.item())


def _is_list_of_numbers(gather: ir.Node) -> bool:
    """Whether a node gathers from integers [N], which are indices themselves."""
    data = gather.inputs[0]
    whole = data is not None and data.dtype in (ir.DataType.INT64, ir.DataType.INT32)
    return gather.op_type == "Gather" and whole and known_rank(data) == 1 and known_rank(gather.inputs[1]) == 1


def _gives_count(shape: ir.Node) -> bool:
    """Whether a Shape returns only the number of indices: it reads [m], or has `end` = 1."""
    start, end = shape.attributes.get_int("start", 0), shape.attributes.get_int("end", 0)
    return start == 0 and (known_rank(shape.inputs[0]) == 1 or end == 1)


def _takes_rows(gather: ir.Node) -> bool:
    """Whether a node gathers one row per index: by [m], or as GatherND by [m, 1]."""
    index = gather.inputs[1]
    if gather.op_type == "GatherND":
        return index is not None and index.shape is not None and len(index.shape) == 2 and index.shape[1] == 1
    return known_rank(index) == 1


def _rewrite(model: ir.Model, choice: _Choice, trace: RowTrace) -> None:
    rows = min(choice.limit, choice.length)
    chosen = _selected if choice.node.op_type == "NonMaxSuppression" else _first_true
    add = Builder(model.graph, None, f"{choice.node.name or choice.node.op_type}/rows")
    # indices [R], and whether each is selected, bool [R, 1]
    position, real = chosen(add, choice.node, choice.length, rows)
    if choice.order is not None:
        position = add.op("Gather", choice.order.inputs[0], position, axis=0)
    for value, axis in trace.axes.items():
        if value.shape is not None:
            value.shape = ir.Shape([rows if at == axis else size for at, size in enumerate(value.shape)])
    moved = {gather.outputs[0]: _gathered(add, gather, position) for gather in choice.gathers}
    for each in trace.filled:
        value, axis = moved.get(each.rows, each.rows), trace.axes[each.rows]
        _fill(model, each.pad, value, axis, real, choice.limit)
    model.graph.sort()


def _selected(add: Builder, nms: ir.Node, length: int, rows: int) -> tuple[ir.Value, ir.Value]:
    """Return the indices [R] of the boxes that NMS selected, and whether each is selected, bool [R, 1]."""
    # batch, class, box: [n, 3] -> [n + R, 3] -> box [R, 1], padded with N
    none = np.tile([0, 0, length], (rows, 1))
    padded = add.op("Concat", nms.outputs[0], add.const(none, np.int64), axis=0)
    first = add.op("Slice", padded, *(add.const(each, np.int64) for each in ([0, 2], [rows, 3], [0, 1])))
    # a Cast of int64 runs on the CPU, so the indices are gathered from an int32 table of indices instead
    number = add.op("Gather", add.const(np.arange(length + 1), np.int32), first, axis=0)
    real = add.op("Less", number, add.const(length, np.int32))
    return add.reshape(add.op("Where", real, number, add.const(0, np.int32)), [rows]), real


def _first_true(add: Builder, nonzero: ir.Node, length: int, rows: int) -> tuple[ir.Value, ir.Value]:
    """Return the indices [R] of the first elements that are not zero, and whether each is one, bool [R, 1]."""
    mask = nonzero.inputs[0]
    assert mask is not None
    true = mask if mask.dtype == ir.DataType.BOOL else add.cast(mask, ir.DataType.BOOL)
    return top_kept_rows(add, add.reshape(add.cast(true, ir.DataType.FLOAT), [1, length]), length, rows)


def _gathered(add: Builder, gather: ir.Node, position: ir.Value) -> ir.Value:
    """Let a Gather's readers read the rows at `position` [R], and return these."""
    taken = add.op("Gather", gather.inputs[0], position, axis=0)
    replace_output(gather, taken)
    return taken


def _fill(model: ir.Model, pad: ir.Node, rows: ir.Value, axis: int, real: ir.Value, total_rows: int) -> None:
    """Replace a Pad of rows by the rows with zeros for missing ones, [R, C] or [R * C]."""
    add = Builder(model.graph, None, f"{pad.name or 'Pad'}/rows")
    sizes = static_shape(rows) or []
    # real [R, 1] -> [1, ..., R, ..., 1]
    ones = [size if at == axis else 1 for at, size in enumerate(sizes)]
    there = real if ones == [*ones[:1], 1] else add.reshape(real, ones)
    filled = add.op("Where", there, rows, add.like(rows, 0))
    missing = [total_rows - size if at == axis else size for at, size in enumerate(sizes)]
    if missing[axis]:
        filled = add.op("Concat", filled, add.like(rows, np.zeros(missing)), axis=axis)
    padded_shape = [total_rows if at == axis else size for at, size in enumerate(sizes)]
    filled.type, filled.shape = rows.type, ir.Shape(padded_shape)
    if known_rank(pad.inputs[0]) != len(padded_shape):
        filled = add.reshape(filled, [-1])
        filled.type, filled.shape = rows.type, ir.Shape([int(np.prod(padded_shape))])
    replace_all_uses(pad.outputs[0], filled)
