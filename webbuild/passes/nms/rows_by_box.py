"""Rows of all boxes instead of the selected ones, for outputs that depend on a label only by its index and score.

NonMaxSuppression selects (image, label, box) triples. Here the nodes after it compute all boxes, with label 0. That is
correct if each output column is independent of the label, or is the score of the pair, or is the label itself. Which
one it is follows from the outputs of random pairs of labels and boxes.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.passes.analysis.use_def import skip_layout_ops, slice_bounds
from webbuild.passes.analysis.value_ranges import UNBOUNDED, value_ranges
from webbuild.passes.builder import Builder
from webbuild.passes.graphs import trial_copy
from webbuild.passes.nms.generic_pattern import GenericNmsPattern, find_generic_nms
from webbuild.passes.rewrite import constant, consumers, replace_all_uses, static_shape
from webbuild.runners.native import NativeRunner

Array = NDArray[Any]

_PAIRS = 96
"""Number of random pairs of a label and a box that are computed."""
_DTYPES = (ir.DataType.FLOAT, ir.DataType.INT64, ir.DataType.INT32)


class Columns(Struct, frozen=True):
    """Number of columns of each output, and the indices of the score and label among all columns, concatenated."""

    widths: list[int]
    score: int | None = None
    label: int | None = None


def probe_columns(model: ir.Model) -> Columns | str:
    """Return the kinds of the output columns, or why they are unknown. The model is not changed."""
    trial = trial_copy(model)
    copy = find_generic_nms(trial)
    assert copy is not None
    names = [value.name or "" for value in copy.outputs]
    if not _take_all_rows(copy):
        return "the indices from its TopK are used for more than gathering rows"
    outputs = [next(value for value in trial.graph.outputs if value.name == name) for name in names]
    if any(value.dtype not in _DTYPES or copy.axes.get(value) is None for value in outputs):
        return "its outputs are not float32 or integers"
    if any(size != 1 for value in outputs for size in list(value.shape or ())[: copy.axes[value]]):
        return "the boxes it selects are not consecutive in its outputs"
    draw = np.random.default_rng(0)
    count = _PAIRS if copy.classes > 1 else min(_PAIRS, copy.boxes)
    label, box = draw.integers(0, copy.classes, count), draw.permutation(np.arange(count) % copy.boxes)
    pairs = np.stack([np.zeros(count, np.int64), label, box], 1)
    try:
        tables = _random_tables(copy, draw)
        *got, key, scores = _compute(trial, copy, [*outputs, _ranking_key(copy), copy.nms.inputs[1]], tables, pairs)
        same = _compute(trial, copy, list(outputs), tables, pairs * [1, 0, 1])
    except (ValueError, WebbuildError) as error:
        return f"the rows of its outputs could not be computed: {error}"
    want = scores[0, label, box]
    if copy.ranking is not None and not np.array_equal(key, want):
        return "its TopK does not rank the boxes by their scores"
    flat = [[each.reshape(count, -1) for each in arrays] for arrays in (got, same)]
    widths = [each.shape[1] for each in flat[0]]
    of_pair, of_box = (np.concatenate(each, 1) for each in flat)
    columns: dict[str, int | None] = {"score": None, "label": None}
    for column in np.flatnonzero((of_pair != of_box).any(0)):
        kind = "label" if np.array_equal(of_pair[:, column], label) else "score"
        if columns[kind] is not None or not np.array_equal(of_pair[:, column], label if kind == "label" else want):
            return "its outputs depend on the class beyond its index and score"
        columns[kind] = int(column)
    if (rounded := _rounded_output(trial, copy, outputs)) is not None:
        return f"'{rounded.name}' may contain integers above 2^24, which float32 rounds"
    return Columns(widths, **columns)


def _ranking_key(tail: GenericNmsPattern) -> ir.Value | None:
    """Return the values that the boxes are sorted by: the input of the TopK, or without one the scores."""
    return tail.nms.inputs[1] if tail.ranking is None else tail.ranking[0].inputs[0]


def _rounded_output(model: ir.Model, tail: GenericNmsPattern, outputs: list[ir.Value]) -> ir.Value | None:
    """Return an integer output that may exceed the exact range of float32. Changes the model's selection."""
    add = Builder(model.graph, tail.nms, "suppression/bounds")
    # the first and the last (image, label, box)
    ends = add.const(np.array([[0, 0, 0], [0, tail.classes - 1, tail.boxes - 1]]), np.int64)
    for use in list(tail.nms.outputs[0].uses()):
        use.node.replace_input_with(use.idx, ends)
    ranges = value_ranges(model.graph)
    whole = [each for each in outputs if each.dtype != ir.DataType.FLOAT and each is not tail.nms.outputs[0]]
    return next((each for each in whole if max(map(abs, ranges.get(each, UNBOUNDED))) > 1 << 24), None)


def _take_all_rows(tail: GenericNmsPattern) -> bool:
    """Remove nodes that sort the boxes or keep the first; return False if the TopK's indices have other readers."""
    if tail.ranking is not None:
        ranking, _ = tail.ranking
        best, order = ranking.outputs
        if order.is_graph_output() or any(node.inputs[1] is not order for node in consumers(order)):
            return False
        for node in consumers(order):
            _replace(tail, node.outputs[0], node.inputs[0])
        _replace(tail, best, ranking.inputs[0])
    for node in tail.dependent_nodes:
        bounds = slice_bounds(node)
        if bounds is not None and node.inputs[0] is not None and bounds[2] == tail.axes.get(node.inputs[0]):
            _replace(tail, node.outputs[0], node.inputs[0])
    return True


def _replace(tail: GenericNmsPattern, old: ir.Value, new: ir.Value | None) -> None:
    assert new is not None
    graph, name = old.graph, old.name
    replace_all_uses(old, new)
    if graph is not None and (output := next((each for each in graph.outputs if each.name == name), None)) is not None:
        tail.axes[output] = tail.axes[new]


def add_rows(model: ir.Model, tail: GenericNmsPattern, columns: Columns) -> ir.Value:
    """Let the outputs contain all boxes, and return their columns, concatenated, float32 [boxes, columns]."""
    names = [value.name for value in tail.outputs]
    _take_all_rows(tail)
    add = Builder(model.graph, tail.nms, "suppression/rows")
    triples = np.zeros((tail.boxes, 3), np.int64)
    triples[:, 2] = np.arange(tail.boxes)
    chosen = add.const(triples, np.int64)
    for use in list(tail.nms.outputs[0].uses()):
        use.node.replace_input_with(use.idx, chosen)
    for value, axis in tail.axes.items():
        if value.shape is not None:
            value.shape = ir.Shape([tail.boxes if at == axis else dim for at, dim in enumerate(value.shape)])
    _fold_numbers(model, tail, chosen, triples)
    for node in tail.dependent_nodes:
        _skip_gather_in_order(model, node)
    outputs = {value.name: value for value in model.graph.outputs}
    selected_outputs = [chosen if outputs[name] is tail.nms.outputs[0] else outputs[name] for name in names]
    end = Builder(model.graph, None, "suppression/rows")
    parts = [
        end.cast(end.reshape(value, [tail.boxes, width]), ir.DataType.FLOAT)
        for value, width in zip(selected_outputs, columns.widths, strict=True)
    ]
    return parts[0] if len(parts) == 1 else end.op("Concat", *parts, axis=1)


def _fold_numbers(model: ir.Model, tail: GenericNmsPattern, chosen: ir.Value, triples: Array) -> None:
    """Fold the nodes that depend on the triples alone, such as the index of each box in any layout."""
    folded: list[ir.Value] = []
    for node in tail.dependent_nodes:
        if all(
            value is chosen or value in folded or value is None or constant(value) is not None for value in node.inputs
        ):
            folded += node.outputs
    if not folded:
        return
    arrays = _run(ir.convenience.extract(model.graph, [chosen], folded), model.ir_version, {chosen.name or "": triples})
    add = Builder(model.graph, tail.nms, "suppression/numbers")
    for value in folded:
        array = arrays[value.name or ""]
        replace_all_uses(value, add.const(array, array.dtype))


def _skip_gather_in_order(model: ir.Model, node: ir.Node) -> None:
    """Gather(data [N, ...], 0 .. N - 1) -> data."""
    data, shape = node.inputs[0], static_shape(node.inputs[0])
    numbers = constant(node.inputs[1]) if node.op_type in ("Gather", "GatherND") else None
    if numbers is None or shape is None or data is None:
        return
    axis, depth = node.attributes.get_int("axis", 0) % len(shape), 1
    if node.op_type == "GatherND":
        depth = numbers.shape[-1]
        numbers = numbers @ np.array([math.prod(shape[i + 1 : depth]) for i in range(depth)], np.int64)
    if not np.array_equal(numbers.reshape(-1), np.arange(numbers.size)):
        return
    before, total, after = shape[:axis], math.prod(shape[axis : axis + depth]), shape[axis + depth :]
    add = Builder(model.graph, node, f"{node.name or node.op_type}/all")
    value: ir.Value = data
    if total != numbers.size:
        value = add.slice(add.reshape(data, [*before, total, *after]), axis, 0, numbers.size)
    whole = add.reshape(value, [*before, *numbers.shape, *after])
    whole.type, whole.shape = data.type, ir.Shape([*before, *numbers.shape, *after])
    replace_all_uses(node.outputs[0], whole)


def _random_tables(tail: GenericNmsPattern, draw: np.random.Generator) -> dict[str, Array]:
    """Return random numbers for the scores and for every other value that the nodes after the selection read."""
    read = [value for node in tail.dependent_nodes for value in node.inputs if value is not None]
    outside = [value for value in read if value not in tail.axes and value is not tail.nms.outputs[0]]
    counts = {output for node in tail.count_readers for output in node.outputs}
    tables: dict[str, Array] = {}
    for value in (tail.nms.inputs[1], *outside):
        root = skip_layout_ops(value)
        if root is None or root in counts or constant(root) is not None or root.name in tables:
            continue
        shape = static_shape(root)
        if shape is None or root.dtype not in _DTYPES:
            raise ValueError(f"'{root.name}' has no fixed shape, or is neither float32 nor integer")
        whole = root.dtype != ir.DataType.FLOAT
        numbers = draw.integers(0, 1 << 20, shape) if whole else draw.uniform(0.1, 0.9, shape)
        tables[root.name or ""] = numbers.astype(root.dtype.numpy())
    return tables


def _compute(
    model: ir.Model, tail: GenericNmsPattern, requested: list[ir.Value | None], tables: dict[str, Array], pairs: Array
) -> list[Array]:
    """Compute the requested values for these triples (0, label, box)."""
    triples = tail.nms.outputs[0]
    values = {value.name: value for node in model.graph for value in node.outputs}
    values |= {value.name: value for value in model.graph.inputs}
    inputs = [triples, *(values[name] for name in tables)]
    missing = [value for value in dict.fromkeys(requested) if value is not None and value not in inputs]
    feeds = {triples.name or "": pairs, **tables}
    if missing:
        feeds |= _run(ir.convenience.extract(model.graph, inputs, missing), model.ir_version, feeds)
    return [feeds[value.name or ""] for value in requested if value is not None]


def _run(graph: ir.Graph, ir_version: int, feeds: dict[str, Array]) -> dict[str, Array]:
    part = ir.Model(graph, ir_version=ir_version)
    return dict(NativeRunner(Path("part"), ir.to_proto(part).SerializeToString()).run(feeds))
