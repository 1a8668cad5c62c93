"""Index arithmetic of a graph in float32 instead of int64."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import attribute_values, constant, consumers, replace_all_uses

_LAYOUT_OPS = {"Unsqueeze", "Squeeze", "Reshape", "Expand", "Tile", "Transpose", "Flatten", "Identity"}
_GATHER_OPS = {"Gather", "GatherElements", "GatherND"}
_COMPARISON_OPS = {"Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"}
_LINEAR_OPS = {"Add", "Sub", "Concat"}
_DIVISION_OPS = {"Div", "Mod"}
_LARGEST = 1 << 20


class UnknownConsumerError(Exception):
    """A node reads one of the numbers in an unsupported way; the message says which and how."""


class FloatIndexRewriter:
    """Collects all values computed from a non-negative int64 value, and rewrites them to float32."""

    def __init__(self, graph: ir.Graph) -> None:
        self.nodes: list[ir.Node] = []
        self._graph = graph
        self._numbers: set[ir.Value] = set()
        self._floats: dict[ir.Value, ir.Value] = {}

    def collect(self, start: ir.Value) -> bool:
        """Find every node that computes with `start`; return False if it is only read as indices.

        Raises:
            UnknownConsumerError: one of the nodes is not supported.
        """
        self._numbers, waiting = {start}, [start]
        while waiting:
            value = waiting.pop()
            if value.is_graph_output():
                raise UnknownConsumerError("an output of the graph is computed from it as int64")
            for node in consumers(value):
                gathers = value is start and node.op_type in _GATHER_OPS and node.inputs[0] is not start
                if gathers or node in self.nodes:
                    continue
                if node.graph is not self._graph:
                    raise UnknownConsumerError(f"{node.op_type} '{node.name}' in a branch or a loop reads it as int64")
                self.nodes.append(node)
                computed = [each for each in node.outputs if each.dtype == ir.DataType.INT64]
                self._numbers.update(computed)
                waiting += computed
        order = {node: index for index, node in enumerate(self._graph)}
        self.nodes.sort(key=lambda node: order[node])
        for node in self.nodes:
            self._check(node)
        return bool(self.nodes)

    def rewrite(self, start: ir.Value, floats: ir.Value) -> None:
        """Compute the collected nodes from `floats`, equal to `start`, and remove the int64 nodes."""
        self._floats[start] = floats
        for node in self.nodes:
            add = Builder(self._graph, node, f"{node.name or node.op_type}/float")
            converted = self._convert(add, node)
            if node.outputs[0] in self._numbers:
                self._floats[node.outputs[0]] = converted
            else:
                replace_all_uses(node.outputs[0], converted)
        for node in reversed(self.nodes):
            if not node.outputs[0].uses():
                self._graph.remove(node, safe=True)

    def _check(self, node: ir.Node) -> None:
        numbers = [value for value in node.inputs if value in self._numbers]
        kind = node.op_type
        known = kind in _LAYOUT_OPS | _GATHER_OPS | _COMPARISON_OPS | _LINEAR_OPS | _DIVISION_OPS | {
            "Cast"
        } and node.domain in ("", "ai.onnx")
        if kind in _LAYOUT_OPS and numbers != [node.inputs[0]]:
            known = False
        if kind in _GATHER_OPS and node.inputs[0] not in self._numbers and node.outputs[0] in self._numbers:
            known = False
        if kind in _LINEAR_OPS | _COMPARISON_OPS:
            known = known and all(
                value in self._numbers or self._constant(value) or _is_cast_bool(value) for value in node.inputs
            )
        if kind in _DIVISION_OPS:
            by = constant(node.inputs[1])
            known = known and by is not None and by.size == 1 and 0 < by.item() <= _LARGEST
            known = known and self._is_natural(node.inputs[0])
        if not known:
            raise UnknownConsumerError(f"{kind} '{node.name}' computes with it, which is not supported")

    def _constant(self, value: ir.Value | None) -> bool:
        array = constant(value)
        return array is not None and array.size > 0 and int(np.abs(array).max()) <= _LARGEST

    def _is_natural(self, value: ir.Value | None) -> bool:
        """Whether no element can be negative: there is no Sub and no negative constant on the way."""
        node = None if value is None else value.producer()
        if value not in self._numbers or node is None or node not in self.nodes:
            return value in self._numbers
        added = [array for v in node.inputs if (array := constant(v)) is not None]
        if node.op_type == "Sub" or (node.op_type in _LINEAR_OPS and any((array < 0).any() for array in added)):
            return False
        return all(self._is_natural(v) for v in node.inputs if v in self._numbers)

    def _convert(self, add: Builder, node: ir.Node) -> ir.Value:
        inputs = [self._floats.get(value, value) if value is not None else None for value in node.inputs]
        attributes = attribute_values(node)
        if node.op_type == "Cast":
            kind = attributes["to"]
            return add.op("Cast", inputs[0], to=ir.DataType.FLOAT.value if kind == ir.DataType.INT64.value else kind)
        if node.op_type in _GATHER_OPS:
            if node.inputs[1] in self._numbers:
                kind = ir.DataType.INT64 if node.op_type == "GatherND" else ir.DataType.INT32
                inputs[1] = add.cast(inputs[1], kind)
            return add.op(node.op_type, *inputs, **attributes)
        if node.op_type in _LINEAR_OPS | _COMPARISON_OPS | _DIVISION_OPS:
            inputs = [self._float(add, old, new) for old, new in zip(node.inputs, inputs, strict=True)]
        return (
            _add_division(add, node, inputs)
            if node.op_type in _DIVISION_OPS
            else add.op(node.op_type, *inputs, **attributes)
        )

    def _float(self, add: Builder, old: ir.Value | None, new: ir.Value | None) -> ir.Value | None:
        """Return an operand as float32: one of the numbers, a constant, or bools."""
        if old is not new:
            return new
        array = constant(old)
        if array is not None:
            return add.const(array)
        node = None if old is None else old.producer()
        assert node is not None
        return add.cast(node.inputs[0], ir.DataType.FLOAT)


def _add_division(add: Builder, node: ir.Node, inputs: list[ir.Value | None]) -> ir.Value:
    """Return quotient or remainder of natural numbers; 0.5 is added to the dividend to avoid rounding errors."""
    by = constant(node.inputs[1])
    assert by is not None
    # floor((n + 0.5) * (1 / d)) = n / d for integers n, d up to 2^20: 0.5 / d is more than the float32 rounding error
    half = add.op("Add", inputs[0], add.const(0.5))
    quotient = add.op("Floor", add.op("Mul", half, add.const(1 / by.astype(np.float32))))
    return quotient if node.op_type == "Div" else add.op("Sub", inputs[0], add.op("Mul", quotient, inputs[1]))


def _is_cast_bool(value: ir.Value | None) -> bool:
    """Whether a value is a Cast of bool, 0 or 1."""
    node = None if value is None else value.producer()
    return (
        node is not None
        and node.op_type == "Cast"
        and node.inputs[0] is not None
        and node.inputs[0].dtype == ir.DataType.BOOL
    )
