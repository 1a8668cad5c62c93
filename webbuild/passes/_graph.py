"""Reading and rewiring a graph: constants, shapes, new nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

Attribute = int | float | list[int] | str


def constant(value: ir.Value | None) -> NDArray[Any] | None:
    """Return the array of an initializer or Constant node, None for anything computed or overridable."""
    if value is None or value.is_graph_input():
        return None
    tensor = value.const_value
    if tensor is None and (node := value.producer()) is not None and node.op_type == "Constant":
        tensor = ir.convenience.get_const_tensor(value)
    return None if tensor is None else tensor.numpy()


def dims(value: ir.Value | None) -> list[int] | None:
    """Return the static shape of a value, None if unknown or free in any dimension."""
    if value is None or value.shape is None or not all(isinstance(dim, int) for dim in value.shape):
        return None
    return [int(dim) for dim in value.shape if isinstance(dim, int)]


def users(value: ir.Value) -> list[ir.Node]:
    """Return the nodes that read a value, each once, in the order of their first use."""
    return list(dict.fromkeys(use.node for use in value.uses()))


def nodes_of(model: ir.Model, *op_types: str) -> Iterator[ir.Node]:
    """Yield the nodes of the main graph of the given standard operators, from a snapshot."""
    for node in list(model.graph):
        if node.domain in ("", "ai.onnx") and node.op_type in op_types:
            yield node


def replace(old: ir.Value, new: ir.Value) -> None:
    """Let every reader of `old`, the graph's outputs included, read `new`; outputs keep their names."""
    graph = old.graph
    if graph is not None and any(output is old for output in graph.outputs):
        name, old.name = old.name, f"{old.name}_before"
        for index, output in enumerate(graph.outputs):
            if output is old:
                graph.outputs[index] = new
        new.name = name
    old.replace_all_uses_with(new)


class Builder:
    """Adds nodes to a graph right before a given one, with names under a prefix."""

    def __init__(self, graph: ir.Graph, before: ir.Node, prefix: str) -> None:
        self._graph = graph
        self._before = before
        self._prefix = prefix
        self._count = 0

    def node(self, op: str, *inputs: ir.Value | None, outputs: int = 1, **attributes: Attribute) -> list[ir.Value]:
        """Add a node and return its outputs."""
        return self._add(op, inputs, outputs, attributes)

    def _add(
        self, op: str, inputs: Sequence[ir.Value | None], outputs: int, attributes: Mapping[str, Attribute]
    ) -> list[ir.Value]:
        name = self._name(op)
        made = ir.node(op, list(inputs), attributes=attributes, num_outputs=outputs, name=name)
        for index, output in enumerate(made.outputs):
            output.name = name if outputs == 1 else f"{name}.{index}"
        self._graph.insert_before(self._before, made)
        return list(made.outputs)

    def op(self, op: str, *inputs: ir.Value | None, **attributes: Attribute) -> ir.Value:
        """Add a node with one output and return that."""
        return self._add(op, inputs, 1, attributes)[0]

    def const(self, array: NDArray[Any] | list[int] | list[float] | float, dtype: Any = np.float32) -> ir.Value:
        """Add an initializer."""
        value = ir.Value(name=self._name("const"), const_value=ir.tensor(np.asarray(array, dtype)))
        tensor = value.const_value
        assert tensor is not None
        assert value.name is not None
        tensor.name = value.name
        value.shape = ir.Shape(list(np.shape(array)))
        value.type = ir.TensorType(tensor.dtype)
        self._graph.register_initializer(value)
        return value

    def _name(self, op: str) -> str:
        while True:
            self._count += 1
            name = f"{self._prefix}/{op}_{self._count}"
            if name not in self._graph.initializers:
                return name
