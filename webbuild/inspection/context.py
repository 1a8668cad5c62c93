"""What a rule may ask about a model and its target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.inspection.graph import Placed
from webbuild.inspection.placing import Placing
from webbuild.passes._graph import constant, dims
from webbuild.targets.table import Table

_LENGTH_FROM_DATA = {"NonMaxSuppression", "NonZero", "Compress", "Unique"}


class Context(Struct, frozen=True):
    """A model, its nodes in their order and where each runs, and the table of the target.

    `uncertain` are the values whose length the data decide: they may be empty.
    """

    model: ir.Model
    table: Table
    nodes: Sequence[Placed]
    placings: Mapping[ir.Node, Placing]
    uncertain: frozenset[ir.Value]

    @property
    def jsep(self) -> bool:
        """Whether the build is the one of the default entry."""
        return self.table.target.build == "jsep"

    @property
    def wasm(self) -> bool:
        """Whether the build computes everything on the CPU, so that no node is in the wrong place there."""
        return self.table.target.build == "wasm"

    @property
    def version(self) -> tuple[int, ...]:
        """The engine's version in numbers."""
        return tuple(int(part) for part in self.table.target.version.partition("-")[0].split(".") if part.isdigit())

    def on_gpu(self, node: ir.Node | None) -> bool:
        """Whether a node runs on the GPU."""
        return node is not None and (placing := self.placings.get(node)) is not None and placing.place == "gpu"

    def on_cpu(self, node: ir.Node | None) -> bool:
        """Whether a node runs on the CPU."""
        return node is not None and (placing := self.placings.get(node)) is not None and placing.place == "cpu"

    def since(self, node: ir.Node) -> int:
        """The version of the operator that the node's opset means."""
        return self.placings[node].kernel.since

    def is_known(self, value: ir.Value | None) -> bool:
        """Whether a value is a constant, or folded into one."""
        if value is None or (value.is_initializer() and not value.is_graph_input()):
            return True
        producer = value.producer()
        return producer is not None and self.placings[producer].place == "folded"


def given(node: ir.Node, index: int) -> ir.Value | None:
    """Return an input of a node, None where it is left out."""
    return node.inputs[index] if index < len(node.inputs) else None


def shape(value: ir.Value | None) -> list[int] | None:
    """Return the sizes of a value, None if one of them is unknown."""
    return dims(value)


def rank(value: ir.Value | None) -> int | None:
    """Return the number of axes of a value."""
    return None if value is None or value.shape is None else len(value.shape)


def is_used(value: ir.Value) -> bool:
    """Whether anything reads a value."""
    return value.is_graph_output() or bool(value.uses())


def is_empty(value: ir.Value | None) -> bool:
    """Whether a value has a size of zero. An unknown size is not one."""
    return value is not None and value.shape is not None and any(dim == 0 for dim in value.shape)


def dtype(value: ir.Value | None) -> str:
    """Return ONNX's name of an element type, empty if it is unknown."""
    return "" if value is None or value.dtype is None else value.dtype.name.lower()


def numbers(node: ir.Node, index: int) -> NDArray[Any] | None:
    """Return the constant that is an input of a node, None if it is computed or left out."""
    value = given(node, index)
    if value is not None and value.const_value is not None and value.const_value.size > 1 << 16:
        return None
    return constant(value)


def uncertain(nodes: Sequence[Placed]) -> frozenset[ir.Value]:
    """Return the values of a length that the data decide, in the given order of the graph."""
    found: set[ir.Value] = set()
    for each in nodes:
        node = each.node
        if node.op_type in _LENGTH_FROM_DATA or any(value in found for value in node.inputs):
            found |= {value for value in node.outputs if dims(value) is None}
    return frozenset(found)
