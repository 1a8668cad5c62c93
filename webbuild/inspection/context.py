"""The context of a rule: the model and its target."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.inspection.graph import ScopedNode
from webbuild.inspection.placement import NodePlacement
from webbuild.passes.rewrite import constant, input_value, is_read, static_shape
from webbuild.passes.workarounds.base import read_once
from webbuild.targets.table import KernelTable

T = TypeVar("T")
DATA_DEPENDENT_OPS = ("NonMaxSuppression", "NonZero", "Compress", "Unique")
"""Operators with data-dependent output shapes."""
_INVERSE_INDICES = 2
"""The output of Unique with the length of its input."""


class InspectionContext(Struct, frozen=True):
    """A model, its nodes in order, their placements, and the kernel table of the target.

    `dynamic_values` are the values with a data-dependent length, which may be 0.
    """

    model: ir.Model
    table: KernelTable
    nodes: Sequence[ScopedNode]
    placements: Mapping[ir.Node, NodePlacement]
    dynamic_values: frozenset[ir.Value]
    known: dict[Callable[[ir.Model], Any], Any] = {}
    """The cache of `once`."""

    @property
    def wasm(self) -> bool:
        """Whether the build computes everything on the CPU."""
        return self.table.target.build == "wasm"

    @property
    def engine_version(self) -> tuple[int, ...]:
        """The engine's version in numbers."""
        return tuple(int(part) for part in self.table.target.version.partition("-")[0].split(".") if part.isdigit())

    def once(self, read: Callable[[ir.Model], T]) -> T:
        """Return `read(model)`, computed once for each model and function."""
        return read_once(self.model, self.known, read)

    def on_gpu(self, node: ir.Node | None) -> bool:
        """Whether a node runs on the GPU."""
        return node is not None and (placing := self.placements.get(node)) is not None and placing.kind == "gpu"

    def on_cpu(self, node: ir.Node | None) -> bool:
        """Whether a node runs on the CPU."""
        return node is not None and (placing := self.placements.get(node)) is not None and placing.kind == "cpu"

    def schema_version(self, node: ir.Node) -> int:
        """The schema version of a node's operator at its opset."""
        return self.placements[node].kernel.schema_version

    def is_constant(self, value: ir.Value | None) -> bool:
        """Whether a value is a constant, or folded into one."""
        if value is None or (value.is_initializer() and not value.is_graph_input()):
            return True
        producer = value.producer()
        return producer is not None and self.placements[producer].kind == "folded"


def dtype_name(value: ir.Value | None) -> str:
    """Return ONNX's name of an element type, empty if it is unknown."""
    return "" if value is None or value.dtype is None else value.dtype.name.lower()


def constant_input(node: ir.Node, index: int) -> NDArray[Any] | None:
    """Return an input of a node as an array; None if it is computed, omitted or large."""
    value = input_value(node, index)
    if value is not None and value.const_value is not None and value.const_value.size > 1 << 16:
        return None
    return constant(value)


def has_dynamic_output(node: ir.Node) -> bool:
    """Whether an output that is read has a data-dependent shape."""
    if node.op_type == "Unique" and node.domain in ("", "ai.onnx"):
        return any(is_read(value) for index, value in enumerate(node.outputs) if index != _INVERSE_INDICES)
    return node.op_type in DATA_DEPENDENT_OPS


def data_dependent_values(nodes: Sequence[ScopedNode]) -> frozenset[ir.Value]:
    """Return the values with a data-dependent length, given the nodes in order."""
    values: set[ir.Value] = set()
    for each in nodes:
        node = each.node
        if has_dynamic_output(node) or any(value in values for value in node.inputs):
            values |= {value for value in node.outputs if static_shape(value) is None}
    return frozenset(values)
