"""A builder that adds nodes to a graph, in the form of its opset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.graphs import taken_names

AttributeValue = int | float | list[int] | str

WHERE_OPSET, FLOAT_EQUAL_OPSET = 9, 11
"""First opsets with Where, and in which Equal compares floats."""


class Builder:
    """Adds nodes to a graph right before a given one, or at its end, with names under a prefix.

    A subgraph does not declare its opset: pass the model's.
    """

    def __init__(self, graph: ir.Graph, before: ir.Node | None, prefix: str, opset: int | None = None) -> None:
        self._graph = graph
        self._before = before
        self._prefix = prefix
        self._count = 0
        self._taken: set[str | None] | None = None
        self.opset = graph.opset_imports.get("", 18) if opset is None else opset

    def node(self, op: str, *inputs: ir.Value | None, outputs: int = 1, **attributes: AttributeValue) -> list[ir.Value]:
        """Add a node and return its outputs."""
        return self._add(op, inputs, outputs, attributes)

    def _add(
        self, op: str, inputs: Sequence[ir.Value | None], outputs: int, attributes: Mapping[str, AttributeValue]
    ) -> list[ir.Value]:
        name = self._name(op)
        new = ir.node(op, list(inputs), attributes=attributes, num_outputs=outputs, name=name)
        for index, output in enumerate(new.outputs):
            output.name = name if outputs == 1 else f"{name}.{index}"
        if self._before is None:
            self._graph.append(new)
        else:
            self._graph.insert_before(self._before, new)
        return list(new.outputs)

    def op(self, op: str, *inputs: ir.Value | None, **attributes: AttributeValue) -> ir.Value:
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

    def like(self, value: ir.Value | None, array: NDArray[Any] | list[int] | list[float] | float) -> ir.Value:
        """Add an initializer of a value's element type."""
        assert value is not None
        assert value.dtype is not None
        return self.const(array, value.dtype.numpy())

    def reduce(self, op: str, data: ir.Value | None, axis: int | list[int], keepdims: int = 1) -> ir.Value:
        """Add a reduction over axes; they are an input from opset 18 on (ReduceSum: 13), before that an attribute."""
        axes = [axis] if isinstance(axis, int) else axis
        if self.opset >= (13 if op == "ReduceSum" else 18):
            return self.op(op, data, self.const(axes, np.int64), keepdims=keepdims)
        return self.op(op, data, axes=axes, keepdims=keepdims)

    def reshape(self, data: ir.Value | None, shape: Sequence[int]) -> ir.Value:
        """Add a Reshape to a constant shape."""
        return self.op("Reshape", data, self.const(list(shape), np.int64))

    def cast(self, data: ir.Value | None, dtype: ir.DataType) -> ir.Value:
        """Add a Cast."""
        return self.op("Cast", data, to=dtype.value)

    def unsqueeze(self, data: ir.Value, axis: int) -> ir.Value:
        """Add an axis of size 1."""
        return self._reshape_axis("Unsqueeze", data, axis)

    def squeeze(self, data: ir.Value, axis: int) -> ir.Value:
        """Remove an axis of size 1."""
        return self._reshape_axis("Squeeze", data, axis)

    def _reshape_axis(self, op: str, data: ir.Value, axis: int) -> ir.Value:
        if self.opset >= 13:
            return self.op(op, data, self.const([axis], np.int64))
        return self.op(op, data, axes=[axis])

    def split_sizes(self, data: ir.Value | None, sizes: list[int], axis: int) -> list[ir.Value]:
        """Add a Split into parts of the given sizes."""
        if self.opset >= 13:
            return self.node("Split", data, self.const(sizes, np.int64), outputs=len(sizes), axis=axis)
        return self.node("Split", data, outputs=len(sizes), axis=axis, split=sizes)

    def split(self, data: ir.Value, parts: int, axis: int) -> list[ir.Value]:
        """Add a Split into equal parts; from opset 18 on it needs `num_outputs`."""
        attributes = {"num_outputs": parts} if self.opset >= 18 else {}
        return self.node("Split", data, outputs=parts, axis=axis, **attributes)

    def pad(self, data: ir.Value | None, before: list[int], after: list[int]) -> ir.Value:
        """Add a Pad with zeros, with sizes for each axis; they became an input in opset 11."""
        pads = [*before, *after]
        if self.opset >= 11:
            return self.op("Pad", data, self.const(pads, np.int64))
        return self.op("Pad", data, pads=pads)

    def slice(self, data: ir.Value | None, axis: int, start: int, end: int) -> ir.Value:
        """Add a Slice of one axis; start and end became inputs in opset 10."""
        if self.opset >= 10:
            return self.op("Slice", data, *(self.const([number], np.int64) for number in (start, end, axis)))
        return self.op("Slice", data, starts=[start], ends=[end], axes=[axis])

    def _release(self, names: Iterable[str | None]) -> None:
        """Mark names as unused again."""
        if self._taken is not None:
            self._taken.difference_update(names)

    def _name(self, op: str) -> str:
        if self._taken is None:  # computed late: most builders add nothing
            self._taken = taken_names(self._graph)
        while True:
            self._count += 1
            name = f"{self._prefix}/{op}_{self._count}"
            if name not in self._taken:
                self._taken.add(name)
                return name
