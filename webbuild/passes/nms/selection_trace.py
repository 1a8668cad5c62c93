"""Trace of the boxes that a NonMaxSuppression selects to the outputs of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from webbuild.passes.analysis.batch_axis import output_batch_axis
from webbuild.passes.analysis.row_counts import RowCount, RowSet, Sizes, sizes_of
from webbuild.passes.analysis.use_def import UnknownNmsPatternError, slice_bounds
from webbuild.passes.rewrite import constant, consumers, known_rank

if TYPE_CHECKING:
    from webbuild.passes.nms.generic_pattern import GenericNmsPattern

_ANY_NUMBER = RowSet(1 << 31)


class SelectionTrace:
    """Traces the selected boxes through a graph: outputs, a Slice of the first N, a TopK, uses of their number."""

    def __init__(self, model: ir.Model, pattern: GenericNmsPattern) -> None:
        self._model, self._found = model, pattern
        self._limits: dict[ir.Value, int] = {}
        """Largest number of boxes in a value, if a Slice limits it."""
        self._sizes: dict[ir.Value, Sizes] = {}
        """Vectors and scalars computed from the number of boxes."""
        self._ranked: set[ir.Value] = set()
        """Values in the order of the TopK."""
        self._counted: list[ir.Value] = []

    def follow(self) -> None:
        """Add the nodes that read the boxes to the pattern.

        Raises:
            UnknownNmsPatternError: a node is not supported, or may mix boxes.
        """
        pattern = self._found
        self._model.graph.sort()
        for node in self._model.graph:
            read = [value for value in node.inputs if value is not None and value in pattern.axes]
            if read:
                self._add_reader(node, read)
            elif any(value in self._sizes for value in node.inputs if value is not None):
                sizes = sizes_of(node, self._sizes)
                self._sizes.update({} if sizes is None else {node.outputs[0]: sizes})
        pattern.outputs += [value for value in self._model.graph.outputs if value in pattern.axes]
        self._check_outputs()

    def _add_reader(self, node: ir.Node, read: list[ir.Value]) -> None:
        pattern = self._found
        where = f"{node.op_type} '{node.name}'"
        if node.domain not in ("", "ai.onnx"):
            raise UnknownNmsPatternError(where, "it is not a standard operator, and reads the selected boxes")
        if node.op_type == "Shape":
            self._add_shape(node, read[0], where)
            return
        if node.op_type == "TopK" and self._is_ranking(node):
            axis: int | None = 0
        elif self._gathers_in_order(node):
            axis = pattern.axes[read[0]]
        elif len({self._limits.get(value) for value in read}) > 1 or len({each in self._ranked for each in read}) > 1:
            axis = None
        elif (limit := self._limit(node)) is not None:
            axis = pattern.axes[read[0]]
            self._limits[node.outputs[0]] = min(limit, self._limits.get(read[0], limit))
        else:
            axis = output_batch_axis(node, pattern.axes)
        if axis is None:
            raise UnknownNmsPatternError(where, "it may mix the boxes that were selected, or needs their number")
        pattern.dependent_nodes.append(node)
        pattern.axes.update(dict.fromkeys(node.outputs, axis))
        if read[0] in self._limits:
            self._limits.update({value: self._limits[read[0]] for value in node.outputs if value not in self._limits})
        if node.op_type == "TopK" or not self._ranked.isdisjoint(read):
            self._ranked.update(node.outputs)

    def _limit(self, node: ir.Node) -> int | None:
        """Return n if a node keeps the first n boxes, None otherwise."""
        bounds = slice_bounds(node)
        data = node.inputs[0]
        if bounds is None or data is None or data in self._ranked or bounds[0] != 0 or bounds[1] < 1:
            return None
        return bounds[1] if bounds[2] % (known_rank(data) or 1) == self._found.axes[data] else None

    def _is_ranking(self, node: ir.Node) -> bool:
        """Whether a TopK sorts all boxes by values [n] and keeps min(n, K); record it as the ranking."""
        data, most, plain = node.inputs[0], node.inputs[1], node.attributes
        sizes = self._sizes.get(most, ()) if most is not None else ()
        if len(sizes) != 1 or not isinstance(sizes[0], RowCount) or data is None or known_rank(data) != 1:
            return False
        falling = plain.get_int("largest", 1) == 1 and plain.get_int("sorted", 1) == 1
        if not falling or data.dtype != ir.DataType.FLOAT or data in self._limits or self._found.ranking is not None:
            return False
        self._found.ranking = node, sizes[0].most
        return True

    def _gathers_in_order(self, node: ir.Node) -> bool:
        """Whether a Gather puts values of all boxes in the order of the TopK; record its output."""
        if self._found.ranking is None or node.op_type != "Gather":
            return False
        data, (ranking, _) = node.inputs[0], self._found.ranking
        if data is None or data not in self._found.axes or data in self._ranked or data in self._limits:
            return False
        along = node.attributes.get_int("axis", 0) % (known_rank(data) or 1)
        if node.inputs[1] is not ranking.outputs[1] or along != self._found.axes[data]:
            return False
        self._ranked.update(node.outputs)
        return True

    def _add_shape(self, shape: ir.Node, data: ir.Value, where: str) -> None:
        """Add the Gathers of the number of boxes from a Shape, or the Shape itself if it returns only that.

        Raises:
            UnknownNmsPatternError: a node reads another size.
        """
        axis = self._found.axes[data]
        if shape.attributes or data in self._ranked:
            raise UnknownNmsPatternError(where, "it reads a shape that depends on the data")
        self._counted.append(data)
        count = RowCount(_ANY_NUMBER)
        if known_rank(data) == 1:
            self._found.count_readers.append(shape)
            self._sizes[shape.outputs[0]] = (count,)
            return
        for node in consumers(shape.outputs[0]):
            wanted = constant(node.inputs[1]) if node.op_type == "Gather" else None
            if wanted is None or wanted.size != 1 or int(wanted.item()) != axis:
                raise UnknownNmsPatternError(
                    where, f"{node.op_type} '{node.name}' needs a shape that depends on the data"
                )
            self._found.count_readers.append(node)
            self._sizes[node.outputs[0]] = (count,)

    def _check_outputs(self) -> None:
        """Record the common limit of all outputs.

        Raises:
            UnknownNmsPatternError: the outputs do not all have the same boxes.
        """
        pattern = self._found
        limits = {self._limits.get(value) for value in (*pattern.outputs, *self._counted)}
        if len(limits) > 1 or (pattern.ranking is not None and not self._ranked.issuperset(pattern.outputs)):
            raise UnknownNmsPatternError(pattern.where, "some outputs have more boxes than others")
        pattern.limit = next(iter(limits), None)
