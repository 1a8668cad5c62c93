"""Adds nodes to a float32 graph after one of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray


class GraphBuilder:
    """Adds nodes, in order, after a node.

    Args:
        graph: the graph of the node.
        after: the node.
        prefix: the prefix of the added names.
        numbers: the graph's scalar constants, shared by all its builders.
    """

    def __init__(self, graph: ir.Graph, after: ir.Node, prefix: str, numbers: dict[float, ir.Value]) -> None:
        self._graph, self._last, self._prefix = graph, after, prefix
        self._numbers, self._counter = numbers, count()

    def op(self, operator: str, *inputs: ir.Value, **attributes: Any) -> ir.Value:
        """Add a node with one output, and return the output."""
        return self._add(ir.node(operator, inputs, attributes=attributes))

    def copy_of(self, node: ir.Node, inputs: Sequence[ir.Value | None]) -> ir.Value:
        """Add a copy of a node with other inputs, and return its output."""
        return self._add(ir.Node(node.domain, node.op_type, inputs, list(node.attributes.values())))

    def constant(self, array: NDArray[Any]) -> ir.Value:
        """Add a constant."""
        name = self._name()
        value = ir.Value(
            name=name,
            const_value=ir.Tensor(array, name=name),
            type=ir.TensorType(ir.DataType.from_numpy(array.dtype)),
            shape=ir.Shape(array.shape),
        )
        self._graph.register_initializer(value)
        return value

    def number(self, value: float) -> ir.Value:
        """Return a scalar constant."""
        if value not in self._numbers:
            self._numbers[value] = self.constant(np.array(value, np.float32))
        return self._numbers[value]

    def size(self, value: ir.Value) -> ir.Value:
        """Return the number of elements of a value, as float32."""
        return self.float32(self.op("Size", value))

    def float32(self, value: ir.Value) -> ir.Value:
        """Return a value cast to float32."""
        return self.op("Cast", value, to=int(ir.DataType.FLOAT))

    def ones_like(self, value: ir.Value) -> ir.Value:
        """Return ones in the shape of a value."""
        return self.op("ConstantOfShape", self.op("Shape", value), value=ir.tensor(np.ones(1, np.float32)))

    def square(self, value: ir.Value) -> ir.Value:
        """Return the squares of a value."""
        return self.op("Mul", value, value)

    def scaled(self, value: ir.Value, factor: float) -> ir.Value:
        """Return a value times a number."""
        return self.op("Mul", value, self.number(factor))

    def shifted(self, value: ir.Value, by: float) -> ir.Value:
        """Return a value plus a number."""
        return self.op("Add", value, self.number(by))

    def _add(self, node: ir.Node) -> ir.Value:
        node.name = self._name()
        (output,) = node.outputs
        output.name = node.name
        self._graph.insert_after(self._last, node)
        self._last = node
        return output

    def _name(self) -> str:
        return f"{self._prefix}/error/{next(self._counter)}"
