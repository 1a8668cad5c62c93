"""Rows of data-dependent number m <= R, traced to the Pad that fills them with zeros up to R."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.passes.analysis.batch_axis import output_batch_axis
from webbuild.passes.analysis.moved_elements import moved_elements
from webbuild.passes.analysis.use_def import UnknownNmsPatternError
from webbuild.passes.rewrite import constant, consumers, input_value, read_axes

_Line = list[NDArray[Any]]
"""Integers that are linear in m: their values for m = 0, m = 1 and m = R."""


class FilledRows(Struct, frozen=True):
    """Rows [m, C], and the Pad that adds zeros after them, or after the flattened rows [m * C]."""

    rows: ir.Value
    pad: ir.Node


class RowTrace:
    """Traces rows gathered by m indices through nodes that do not mix rows, to the Pads that fill them.

    Attributes:
        axes: the axis of the rows, for every value computed from them.
        filled: the rows at the ends, each with its Pad.
    """

    def __init__(
        self, nodes: Iterable[ir.Node], gathers: Sequence[ir.Node], limit: int, counts: Sequence[ir.Node] = ()
    ) -> None:
        """Trace the gathers through the nodes, in their order.

        Args:
            nodes: the nodes of the graph.
            gathers: the Gather nodes of the rows.
            limit: R, the largest m.
            counts: nodes that return m.

        Raises:
            UnknownNmsPatternError: a node is not supported.
        """
        self.axes: dict[ir.Value, int] = {each.outputs[0]: 0 for each in gathers}
        self.filled: list[FilledRows] = []
        self._limit = limit
        self._flat: dict[ir.Value, ir.Value] = {}
        self._numbers: dict[ir.Value, _Line] = {}
        """Vectors and numbers computed from m."""
        self._points = (0, 1, limit)
        self._numbers.update({each.outputs[0]: [np.array([count]) for count in self._points] for each in counts})
        self._known = {*gathers, *counts}
        for node in nodes:
            read = [value for value in node.inputs if value is not None]
            if node not in self._known and any(
                each in self.axes or each in self._flat or each in self._numbers for each in read
            ):
                self._add(node)
                self._known.add(node)
        values = (*self.axes, *self._flat, *self._numbers)
        if any(value.is_graph_output() or not self._known.issuperset(consumers(value)) for value in values):
            raise UnknownNmsPatternError(
                "graph", "the rows are an output or read by another graph before they are padded"
            )

    def _add(self, node: ir.Node) -> None:
        data = node.inputs[0]
        read = [value for value in node.inputs if value is not None]
        if node.domain in ("", "ai.onnx") and data is not None:
            if node.op_type == "Shape" and (data in self.axes or data in self._flat):
                shapes = [self._shape(data, count)[read_axes(node)] for count in self._points]
                self._numbers[node.outputs[0]] = [np.array(each) for each in shapes]
                return
            if node.op_type == "Pad" and (data in self.axes or data in self._flat):
                self._add_pad(node, data)
                return
            if any(each in self._numbers for each in read):
                if (line := self._line(node)) is not None:
                    self._numbers[node.outputs[0]] = line
                    return
            elif data in self.axes and self._is_flatten(node, data):
                self._flat[node.outputs[0]] = data
                return
            elif (axis := output_batch_axis(node, self.axes)) is not None:
                self.axes.update(dict.fromkeys(node.outputs, axis))
                return
        raise UnknownNmsPatternError(f"{node.op_type} '{node.name}'", "it may mix rows, or needs their number")

    def _is_flatten(self, node: ir.Node, data: ir.Value) -> bool:
        """Whether a node flattens rows: [m, C] -> [m * C]."""
        target = constant(input_value(node, 1)) if node.op_type == "Reshape" else None
        return target is not None and target.tolist() == [-1] and self.axes[data] == 0 and self._row(data) > 1

    def _row(self, data: ir.Value) -> int:
        """Return the number of elements of a row."""
        sizes = [size for at, size in enumerate(data.shape or ()) if at != self.axes[data]]
        if data.shape is None or not all(isinstance(size, int) for size in sizes):
            raise UnknownNmsPatternError(data.name or "", "the size of its rows is unknown")
        return math.prod(size for size in sizes if isinstance(size, int))

    def _shape(self, data: ir.Value, count: int) -> list[int]:
        """Return the shape of a value if there are `count` rows."""
        if data in self._flat:
            return [count * self._row(self._flat[data])]
        self._row(data)
        sizes = [count if at == self.axes[data] else size for at, size in enumerate(data.shape or ())]
        return [size for size in sizes if isinstance(size, int)]

    def _line(self, node: ir.Node) -> _Line | None:
        """Return the output of a node that reads numbers, None if it is not linear in m."""
        lines = [self._number(value) for value in node.inputs]
        if node.op_type == "Cast" and node.outputs[0].dtype in (ir.DataType.INT64, ir.DataType.INT32):
            return lines[0]
        coefficients = []
        for at in range(len(self._points)):
            inputs = [None if line is None else line[at] for line in lines]
            elements = moved_elements(node, inputs)
            if node.op_type in _ARITHMETIC and len(inputs) == 2 and inputs[0] is not None and inputs[1] is not None:
                elements = [_ARITHMETIC[node.op_type](inputs[0], inputs[1])]
            if elements is None or len(elements) > 1:
                return None
            coefficients.append(elements[0])
        # linear: f(R) - f(0) = R (f(1) - f(0)). Min(f, c) is that only if the same operand is smaller for every m
        none, one, most = coefficients
        return coefficients if np.array_equal(most - none, (one - none) * self._limit) else None

    def _number(self, value: ir.Value | None) -> _Line | None:
        if value is not None and value in self._numbers:
            return self._numbers[value]
        array = constant(value)
        return None if array is None or array.dtype.kind != "i" else [array for _ in self._points]

    def _add_pad(self, node: ir.Node, data: ir.Value) -> None:
        """Record a Pad that appends zero rows up to R rows.

        Raises:
            UnknownNmsPatternError: the Pad adds other values, or not after the rows.
        """
        rows = self._flat.get(data, data)
        pads, fill = self._number(input_value(node, 1)), input_value(node, 2)
        zeros = fill is None or ((fill_value := constant(fill)) is not None and not fill_value.any())
        plain = node.attributes.get_string("mode", "constant") == "constant" and input_value(node, 3) is None
        axis, each = (0, self._row(rows)) if data in self._flat else (self.axes[data], 1)
        rank = 1 if data in self._flat else len(data.shape or ())
        # (R - m) rows after the last: [0, ..., (R - m) * C, ...]
        wanted = [np.zeros(2 * rank, np.int64) for _ in self._points]
        for count, pad in zip(self._points, wanted, strict=True):
            pad[rank + axis] = (self._limit - count) * each
        if pads is None or not zeros or not plain or not all(map(np.array_equal, pads, wanted)):
            raise UnknownNmsPatternError(f"{node.op_type} '{node.name}'", "it does not pad the rows with zeros")
        self.filled.append(FilledRows(rows, node))


_ARITHMETIC = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Min": np.minimum, "Max": np.maximum}
