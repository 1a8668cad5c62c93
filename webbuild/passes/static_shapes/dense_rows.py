"""Dense form of a masked region: each node reads all rows instead of the selected ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.boolean_mask import MaskSelection
from webbuild.passes.analysis.masked_rows import MaskedRegion
from webbuild.passes.analysis.moved_elements import moved_shapes
from webbuild.passes.analysis.row_counts import Rows, RowSet
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import (
    LOW,
    LOWEST,
    attribute_values,
    constant,
    consumers,
    input_value,
    reduction_axes,
    replace_all_uses,
    replace_output,
    static_shape,
)
from webbuild.passes.static_shapes.row_masks import RowMasks, broadcast_mask

_NEUTRAL = {"ReduceProd": 1.0, "ReduceMax": -math.inf, "ReduceMin": math.inf}
"""Neutral element of a reduction, for elements that are not selected, if it is not 0."""


_SCATTER_OPS = ("ScatterElements", "ScatterND")


def rewrite_densely(model: ir.Model, group: Sequence[MaskSelection], region: MaskedRegion) -> None:
    """Let the nodes of a region compute with all rows, and remove the original nodes."""
    dense = _DenseRows(model, region)
    for each in group:
        dense.add_choice(each)
    order = {each: index for index, each in enumerate(model.graph)}
    for node in sorted([*region.inner, *region.ends], key=order.__getitem__):
        dense.add_node(node)
    gone = {*region.inner, *region.ends, *(each.node for each in group)}
    for node in sorted(region.counting, key=order.__getitem__)[::-1]:
        if not any(value.is_graph_output() or not gone.issuperset(consumers(value)) for value in node.outputs):
            gone.add(node)
    for value in region.rows:
        if value.is_graph_output() or not gone.issuperset(consumers(value)):
            dense.leave(value)
    for node in sorted(gone, key=order.__getitem__)[::-1]:
        model.graph.remove(node, safe=True)


class _DenseRows:
    """The values with all rows, by the values with the selected rows."""

    def __init__(self, model: ir.Model, region: MaskedRegion) -> None:
        self._graph = model.graph
        self._region = region
        self._values: dict[ir.Value, ir.Value] = {}
        self._masks = RowMasks(region)

    def add_choice(self, choice: MaskSelection) -> None:
        add = self._builder(choice.node)
        whole = choice.data
        if whole is None:  # the indices of all elements: [rank, N]
            taken = static_shape(choice.mask) or []
            whole = add.const(np.indices(taken).reshape(len(taken), -1), np.int64)
        if static_shape(whole) != list(choice.shape):
            whole = add.reshape(whole, list(choice.shape))
        self._values[choice.node.outputs[0]] = whole

    def add_node(self, node: ir.Node) -> None:
        add = self._builder(node)
        match node.op_type:
            case _ if node in self._region.inner:
                result = self._inner(add, node)
                for old, new in zip(node.outputs, result, strict=False):
                    self._values[old] = new
                    if new.producer() is not None:
                        new.type, new.shape = old.type, ir.Shape(self._region.rows[old].shape)
            case "ScatterND":
                replace_all_uses(node.outputs[0], self._scattered(add, node))
            case "TopK":
                for old, new in zip(node.outputs, self._ranked(add, node, node.inputs[1]), strict=True):
                    replace_all_uses(old, new)
            case "NonMaxSuppression":
                replace_all_uses(node.outputs[0], self._suppression(add, node))
            case "Gather" | "GatherND":
                replace_all_uses(node.outputs[0], self._copy(add, node)[0])
            case _:
                replace_all_uses(node.outputs[0], self._reduction(add, node))

    def leave(self, value: ir.Value) -> None:
        """Let other readers of selected rows that come first gather these."""
        row_set, maker = self._region.rows[value], value.producer()
        assert maker is not None
        add = self._builder(maker)
        source = maker.inputs[0] if maker.op_type == "Cast" else None
        if source in self._values:  # gather before the Cast, so that the rows are not int64 yet
            rows = add.op("Gather", self._values[source], row_set.rows.places, axis=row_set.axis)
            rows.type, rows.shape = source.type, value.shape
            chosen = add.op("Cast", rows, **attribute_values(maker))
        else:
            chosen = add.op("Gather", self._values[value], row_set.rows.places, axis=row_set.axis)
        chosen.type, chosen.shape = value.type, value.shape
        replace_all_uses(value, chosen)

    def _builder(self, node: ir.Node) -> Builder:
        return Builder(self._graph, node, f"{node.name or node.op_type}/masked")

    def _copy(self, add: Builder, node: ir.Node) -> list[ir.Value]:
        inputs = [self._values.get(value, value) if value is not None else None for value in node.inputs]
        return add.node(node.op_type, *inputs, outputs=len(node.outputs), **attribute_values(node))

    def _inner(self, add: Builder, node: ir.Node) -> list[ir.Value]:
        """Add the form of a node that reads all rows; their number is a constant."""
        rows = self._region.rows[node.outputs[0]]
        data = node.inputs[0]
        assert data is not None
        if node.op_type == "TopK":
            return self._top_k(add, node, rows.rows)
        if node.op_type == "ConstantOfShape":
            filled = node.attributes.get_tensor("value", None)
            one = np.zeros(1, np.float32) if filled is None else filled.numpy()
            # data that rows are scattered into becomes a scalar, which the Where broadcasts to the shape of the rows
            shape = [1] * len(rows.shape) if _is_put_into(node.outputs[0]) else rows.shape
            return [add.const(np.full(shape, one.item()), one.dtype)]
        if node.op_type == "Range":
            return [add.like(node.outputs[0], np.arange(rows.rows.length))]
        if node.op_type == "Slice" and node.inputs[2] in self._region.sizes:
            return [self._values[data]]
        if node.op_type in ("Reshape", "Flatten") or input_value(node, 1) in self._region.sizes:
            return [self._reshaped(add, node, rows)]
        if node.op_type in _SCATTER_OPS:
            return [self._scattered_back(add, node)]
        if node.op_type == "NonZero":
            return [self._places(add, rows.rows)]
        if self._is_every_row(node):
            return [self._values[data]]
        self._masks.add_joined(add, rows.rows)
        return self._copy(add, node)

    def _reshaped(self, add: Builder, node: ir.Node, rows: Rows) -> ir.Value:
        """Add a Reshape, Flatten or Expand to the shape with all rows; split rows repeat the mask of their row."""
        data = node.inputs[0]
        assert data is not None
        self._masks.add_repeated(add, rows.rows)
        op = "Expand" if node.op_type == "Expand" else "Reshape"
        return add.op(op, self._values.get(data, data), add.const(list(rows.shape), np.int64))

    def _scattered_back(self, add: Builder, node: ir.Node) -> ir.Value:
        """Add the form of a scatter of nested rows back to where they were taken from: Where(mask, rows, data)."""
        data, _, rows = node.inputs[:3]
        assert data is not None
        assert rows is not None
        return add.op("Where", self._masks.of_value(add, rows), self._values[rows], self._values[data])

    def _top_k(self, add: Builder, node: ir.Node, best: RowSet) -> list[ir.Value]:
        """Add a TopK of all rows: rows that are not selected come last, recognizable by their low score."""
        values, places = self._ranked(add, node, add.const([best.length], np.int64))
        self._masks.add_best(add, best, values)
        return [values, places]

    def _ranked(self, add: Builder, node: ir.Node, most: ir.Value | None) -> list[ir.Value]:
        scores = self._masked(add, node.inputs[0], LOWEST)
        return add.node("TopK", scores, most, outputs=2, **attribute_values(node))

    def _places(self, add: Builder, some: RowSet) -> ir.Value:
        """Add the mask of a nested selection, and return the indices of all rows, [1, N]."""
        self._masks.add_nested(add, some, self._values)
        return add.const(np.arange(some.length)[None], np.int64)

    def _is_every_row(self, node: ir.Node) -> bool:
        """Whether a node gathers the rows of a nested selection, in the dense form all rows in order."""
        index = self._region.rows.get(node.inputs[1]) if len(node.inputs) > 1 and node.inputs[1] is not None else None
        parent, _ = self._region.nested.get(index.rows, (None, None)) if index is not None else (None, None)
        return index is not None and parent is not None and index.numbers is parent

    def _masked(self, add: Builder, value: ir.Value | None, fill: float) -> ir.Value:
        """Add all rows, with `fill` in rows that are not selected."""
        assert value is not None
        rows = self._region.rows[value]
        true = self._masks.of_value(add, value)
        whole = add.op("Where", true, self._values[value], add.const(fill))
        whole.type, whole.shape = value.type, ir.Shape(rows.shape)
        return whole

    def _scattered(self, add: Builder, node: ir.Node) -> ir.Value:
        """Add the form of a ScatterND of selected rows: Where(mask, rows, data)."""
        data, rows = node.inputs[0], node.inputs[2]
        assert rows is not None
        mask = self._masks.of_set(self._region.rows[rows].rows)
        sizes, taken = static_shape(data) or [], static_shape(mask) or []
        new = self._values[rows] if len(taken) == 1 else add.reshape(self._values[rows], sizes)
        return add.op("Where", broadcast_mask(add, mask, [*taken, *[1] * (len(sizes) - len(taken))]), new, data)

    def _suppression(self, add: Builder, node: ir.Node) -> ir.Value:
        """Add a NonMaxSuppression of all rows, with a score below its threshold for rows that are not selected."""
        boxes, scores = node.inputs[0], node.inputs[1]
        assert boxes is not None
        assert scores is not None
        others = [input_value(node, index) for index in range(2, 5)]
        if others[2] is None:
            above = self._region.rows[scores].above
            threshold_array = constant(above)
            # if the mask is scores > threshold, the scores of selected rows are above that threshold
            others[2] = (
                add.const([LOW])
                if above is None
                else above
                if threshold_array is None
                else add.const(threshold_array.ravel())
            )
            if above is not None and threshold_array is None and static_shape(above) != [1]:
                others[2] = add.reshape(above, [1])
        masked = self._masked(add, scores, LOWEST)
        chosen = add.op("NonMaxSuppression", self._values[boxes], masked, *others, **attribute_values(node))
        chosen.type, chosen.shape = node.outputs[0].type, node.outputs[0].shape
        for reader in consumers(node.outputs[0]):
            self._merge_column(reader)
        return chosen

    def _merge_column(self, gather: ir.Node) -> None:
        """Gather(x [n, 3], [2]) [n, 1] -> Squeeze [n]  ->  Gather(x, 2) [n]: one int64 node less on the CPU."""
        index, readers = (
            constant(gather.inputs[1]) if gather.op_type == "Gather" else None,
            consumers(gather.outputs[0]),
        )
        if index is None or index.shape != (1,) or gather.outputs[0].is_graph_output():
            return
        if gather.graph is self._graph and all(
            each.op_type == "Squeeze" and moved_shapes(each, (2, 1)) == [(2,)] for each in readers
        ):
            add = self._builder(gather)
            one = add.op("Gather", gather.inputs[0], add.const(index[0], np.int64), **attribute_values(gather))
            for each in readers:
                replace_output(each, one)
                self._graph.remove(each, safe=True)
            self._graph.remove(gather, safe=True)

    def _reduction(self, add: Builder, node: ir.Node) -> ir.Value:
        """Add a reduction that ignores rows that are not selected; the mean of no row is 0."""
        value = node.inputs[0]
        assert value is not None
        row_set, axes = self._region.rows[value], reduction_axes(node) or []
        keep = node.attributes.get_int("keepdims", 1)
        # rows that are not selected become 0 (sum), 1 (product), -inf (maximum) or inf (minimum)
        true = self._masks.of_value(add, value)
        rows = add.op("Where", true, self._values[value], add.like(value, _NEUTRAL.get(node.op_type, 0.0)))
        if node.op_type != "ReduceMean":
            return add.reduce(node.op_type, rows, axes, keep)
        # mean = sum / (selected rows * other elements reduced); at least one row, so that the mean of none is 0
        line = add.reshape(add.cast(true, ir.DataType.FLOAT), [-1])
        others = math.prod(row_set.shape[axis] for axis in axes if axis != row_set.axis)
        least = add.op("Max", add.reduce("ReduceSum", line, 0, 0), add.const(1.0))
        count = least if others == 1 else add.op("Mul", least, add.const(float(others)))
        return add.op("Div", add.reduce("ReduceSum", rows, axes, keep), count)


def _is_put_into(value: ir.Value) -> bool:
    """Whether a value is only read as the data of a scatter."""
    readers = consumers(value)
    return all(node.op_type in _SCATTER_OPS and node.inputs[0] is value for node in readers) and bool(readers)
