"""The nodes after a selection by a mask that can compute with all rows instead of the selected ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import onnx_ir as ir

from webbuild.passes.analysis.boolean_mask import MaskSelection, NeedsGatherError, mask_of_indices
from webbuild.passes.analysis.repeated_rows import Repeated, chosen_parts, reshaped_rows
from webbuild.passes.analysis.row_counts import RowCount, Rows, RowSet, Sizes, sizes_of
from webbuild.passes.analysis.row_shapes import (
    can_rank,
    joined,
    nested_selection,
    ranked,
    row_results,
    scattered,
    threshold,
)
from webbuild.passes.analysis.use_def import UnknownNmsPatternError, trace_indices
from webbuild.passes.rewrite import constant, consumers, input_value, is_read, read_axes, reduction_axes, static_shape

REDUCTION_OPS = frozenset({
    "ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare",
})  # fmt: skip


class MaskedRegion:
    """The nodes after selections by masks: `inner` nodes compute all rows, `ends` ignore rows that are not selected.

    - A TopK of min(n, K) selected rows makes a new set of K rows. A Concat of rows of several masks joins their sets.
    - Ends are reductions over the rows, a ScatterND that writes the rows back, a NonMaxSuppression, a TopK with fixed
      K, and a Gather by the indices that one of the last two returns.
    - If the selected rows come first (`places`), other nodes may read them too: they get the first n rows.

    Attributes:
        rows: the selected rows that a value holds, by value.
        masks: the mask that selects from each set.
        parts: the sets that a Concat joins, by the joined set.
        nested: the set that a mask of selected rows selects from, and the mask, by the resulting set.
        repeated: the set whose rows a Reshape splits, and into how many each, by the resulting set.
        sizes: vectors and scalars that contain the number of selected rows.
        counting: the nodes that compute `sizes`.
    """

    def __init__(
        self,
        choices: Sequence[MaskSelection],
        nodes: Sequence[ir.Node],
        opset: int,
        places: Mapping[ir.Value, ir.Value] | None = None,
    ) -> None:
        """Trace the selections through the nodes, in their order.

        Args:
            choices: the selections by masks.
            nodes: the nodes of the graph.
            opset: version of the standard operators.
            places: the indices 0 .. n - 1 of the n selected rows, by each mask whose selected rows come first.

        Raises:
            NeedsGatherError: a node needs the selected rows alone, or their number.
        """
        sets = {
            each.mask: RowSet(prod(static_shape(each.mask) or []), (places or {}).get(each.mask)) for each in choices
        }
        self.masks = {rows: mask for mask, rows in sets.items()}
        self.rows = {each.node.outputs[0]: _selected_rows(each, sets[each.mask]) for each in choices}
        self.parts: dict[RowSet, list[RowSet]] = {}
        self.nested: dict[RowSet, tuple[RowSet, ir.Value]] = {}
        self.repeated: Repeated = {}
        self.sizes: dict[ir.Value, Sizes] = {}
        self.counting: list[ir.Node] = []
        self.inner: list[ir.Node] = []
        self.ends: list[ir.Node] = []
        self._opset = opset
        self._kept: dict[ir.Node, RowSet] = {}
        chosen = {each.node for each in choices}
        for node in nodes:
            reads = [value for value in node.inputs if value is not None]
            if node not in chosen and any(each in self.rows or each in self.sizes for each in reads):
                self._add_node(node)
        if any(value.is_graph_output() and not self._can_leave(value) for value in (*self.rows, *self.sizes)):
            raise NeedsGatherError("the rows that the mask selects are an output of data-dependent length")
        if other := next((node for node in self._kept if node not in self.ends), None):
            raise NeedsGatherError(f"{other.op_type} '{other.name}' gathers other data by indices of selected rows")
        known = {*self.inner, *self.ends, *self.counting, *chosen}
        bound = (value for value in (*self.rows, *self.sizes) if not self._can_leave(value))
        users = (user for value in bound for user in consumers(value))
        if missing := next((user for user in users if user not in known), None):
            raise NeedsGatherError(f"{missing.op_type} '{missing.name}' is in another graph")

    def _add_node(self, node: ir.Node) -> None:
        if not any(map(is_read, node.outputs)):
            self.counting.append(node)
        elif self._is_end(node):
            self.ends.append(node)
        elif (sizes := self._sizes(node)) is not None:
            self.counting.append(node)
            self.sizes[node.outputs[0]] = sizes
        else:
            results = self._results(node)
            read = [value for value in node.inputs if value is not None and (value in self.rows or value in self.sizes)]
            if not results and all(map(self._can_leave, read)):
                return
            if not results:
                raise NeedsGatherError(f"{node.op_type} '{node.name}' needs the number of rows that the mask selects")
            self.inner.append(node)
            self.rows.update(zip(node.outputs, results, strict=False))
            for value, each in zip(node.outputs, results, strict=False):
                # shape inference does not know all of them, such as a Reshape to a computed count
                value.shape = value.shape or _chosen_shape(each)

    def _can_leave(self, value: ir.Value) -> bool:
        """Whether other nodes may still read a value: rows whose selected ones come first, or their number."""
        counted = [size.rows for size in self.sizes.get(value, ()) if isinstance(size, RowCount)]
        row_sets = [self.rows[value].rows] if value in self.rows else counted
        return all(rows.places is not None for rows in row_sets) and bool(row_sets or value in self.sizes)

    def _sizes(self, node: ir.Node) -> Sizes | None:
        data = node.inputs[0]
        if node.op_type == "Shape" and data in self.rows:
            rows = self.rows[data]
            count = RowCount(rows.rows)
            every = [count if axis == rows.axis else size for axis, size in enumerate(rows.shape)]
            return tuple(every[read_axes(node)])
        return sizes_of(node, self.sizes) if any(value in self.sizes for value in node.inputs if value) else None

    def _results(self, node: ir.Node) -> Sequence[Rows]:
        """Return the outputs of a node that reads all rows; none if rows that are not selected may affect others."""
        if node.domain not in ("", "ai.onnx"):
            return ()
        if node.op_type == "TopK":
            return ranked(node, self.rows, self.sizes)
        if node.op_type == "NonZero":
            return nested_selection(node, self.rows, self.nested)
        found = None
        if node.op_type == "Concat":
            found = joined(node, self.rows, self.parts)
        elif node.op_type in ("Reshape", "Flatten"):
            found = reshaped_rows(node, self.rows, self.sizes, self.repeated)
        elif node.op_type in ("ScatterElements", "ScatterND"):
            found = scattered(node, self.rows, self.nested)
        elif node.op_type == "Gather":
            found = chosen_parts(node, self.rows, self.repeated)
        return (found,) if found else row_results(node, self.rows, self.sizes, self.nested, self._opset)

    def _is_end(self, node: ir.Node) -> bool:
        data = node.inputs[0]
        match node.op_type:
            case "ReduceMean" if data is not None and data.dtype == ir.DataType.FLOAT16:
                return False  # it becomes a sum and a count, which may overflow float16
            case op if op in REDUCTION_OPS and data in self.rows:
                return self.rows[data].axis in (reduction_axes(node) or [])
            case "ScatterND":
                return self._is_scatter_back(node)
            case "NonMaxSuppression":
                return self._is_suppression(node)
            case "TopK" if data in self.rows and constant(node.inputs[1]) is not None:
                return self._is_fixed_ranking(node, self.rows[data])
            case "Gather" | "GatherND" if node in self._kept and data in self.rows:
                # rows [n, ...] gathered by the indices of a NonMaxSuppression or a TopK
                rows, along = self.rows[data], "axis" if node.op_type == "Gather" else "batch_dims"
                return rows.axis == 0 == node.attributes.get_int(along, 0) and rows.rows is self._kept[node]
        return False

    def _is_scatter_back(self, node: ir.Node) -> bool:
        """Whether a ScatterND writes the selected rows back to where the mask took them, in data of known shape."""
        sizes, indices, update = static_shape(node.inputs[0]), node.inputs[1], node.inputs[2]
        if sizes is None or node.inputs[0] in self.rows or indices in self.rows or update not in self.rows:
            return False
        rows = self.rows[update]
        mask = self.masks.get(rows.rows)
        back = (*(static_shape(mask) or []), *rows.shape[1:])
        plain = node.attributes.get_string("reduction", "none") == "none"
        return plain and rows.axis == 0 and mask_of_indices(indices) is mask is not None and tuple(sizes) == back

    def _is_fixed_ranking(self, node: ir.Node, rows: Rows) -> bool:
        """Whether a TopK has a fixed K, not more than all rows, and only Gathers read its indices."""
        most, places = constant(node.inputs[1]), node.outputs[1]
        readers = consumers(places)
        if most is None or most.size != 1 or most.item() > rows.rows.length or not can_rank(node, rows):
            return False
        if places.is_graph_output() or any(each.op_type != "Gather" or each.inputs[0] is places for each in readers):
            return False
        self._kept.update(dict.fromkeys(readers, rows.rows))
        return True

    def _is_suppression(self, node: ir.Node) -> bool:
        """Whether an NMS node reads boxes [1, n, 4] and scores [1, 1, n] of the same rows; record its Gathers."""
        boxes, scores = (self.rows.get(value) if value is not None else None for value in node.inputs[:2])
        if boxes is None or scores is None or boxes.rows is not scores.rows or (boxes.axis, scores.axis) != (1, 2):
            return False
        if scores.shape[:2] != (1, 1) or any(value in self.rows for value in node.inputs[2:]):
            return False
        if node.inputs[1] is None or node.inputs[1].dtype != ir.DataType.FLOAT or input_value(node, 2) is None:
            return False
        try:
            gathers = trace_indices(node.outputs[0], node.name or node.op_type).gathers
        except UnknownNmsPatternError as unknown:
            raise NeedsGatherError(str(unknown)) from unknown
        self._kept.update(dict.fromkeys(gathers, boxes.rows))
        return True


def _chosen_shape(rows: Rows) -> ir.Shape:
    return ir.Shape([None if axis == rows.axis else size for axis, size in enumerate(rows.shape)])


def _selected_rows(choice: MaskSelection, rows: RowSet) -> Rows:
    """Return the rows that a mask selects. If it is `data > threshold`, the selected data are above the threshold."""
    return Rows(choice.shape, choice.axis, rows, above=threshold(choice.mask, choice.data))
