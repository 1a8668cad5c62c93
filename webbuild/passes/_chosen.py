"""What a mask chooses, and the nodes behind it that may as well compute with all rows in their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes._graph import constant, dims, users

_EACH = frozenset({
    "Abs", "Add", "And", "Cast", "Clip", "Cos", "Div", "Elu", "Equal", "Erf", "Exp", "Floor", "Gelu", "Greater",
    "GreaterOrEqual", "HardSigmoid", "HardSwish", "LeakyRelu", "Less", "LessOrEqual", "Log", "Max", "Min", "Mul", "Neg",
    "Not", "Or", "Pow", "Reciprocal", "Relu", "Sigmoid", "Sin", "Softplus", "Sqrt", "Sub", "Tanh", "Where",
})  # fmt: skip
"""Operators that compute with each element alone, and with what lies beside it in their other inputs."""
_LAST = {"Softmax": 13, "LogSoftmax": 13, "LayerNormalization": 1}
"""Operators along one axis, and the opset from which on that is the last unless they say otherwise."""
REDUCTIONS = frozenset({
    "ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare",
})  # fmt: skip
_MOVES = ("Transpose", "Squeeze", "Reshape")


class UnboundedError(Exception):
    """Why what is chosen has to be gathered."""


class Choice(Struct, frozen=True):
    """What a node takes of `data` by a mask of `shape[axis]` elements: `shape` is that of all rows, in their places."""

    node: ir.Node
    data: ir.Value
    mask: ir.Value
    shape: tuple[int, ...]
    axis: int


def masked_places(value: ir.Value | None) -> ir.Value | None:
    """Return the mask of which a value [n, rank] holds the places of what is true, None if it holds anything else."""
    turn = None if value is None else value.producer()
    if turn is None or turn.op_type != "Transpose" or turn.inputs[0] is None:
        return None
    return _found(turn.inputs[0])


def _found(value: ir.Value | None) -> ir.Value | None:
    node = None if value is None else value.producer()
    return node.inputs[0] if node is not None and node.op_type == "NonZero" else None


def choice(node: ir.Node) -> Choice | None:
    """Return what a node chooses by a mask, None for any other node, or where shapes are not known."""
    data, sizes = node.inputs[0], dims(node.inputs[0])
    if data is None or sizes is None:
        return None
    match node.op_type:
        case "GatherND" if not node.attributes.get_int("batch_dims", 0):
            mask = masked_places(node.inputs[1])
            taken = dims(mask)
            if mask is None or not taken or sizes[: len(taken)] != taken:
                return None
            return Choice(node, data, mask, (prod(taken), *sizes[len(taken) :]), 0)
        case "Gather":
            return _along(node, _row_mask(node.inputs[1]), node.attributes.get_int("axis", 0))
        case "Compress" if "axis" in node.attributes:
            return _along(node, node.inputs[1], node.attributes.get_int("axis", 0))
        case "Compress" if dims(node.inputs[1]) == [prod(sizes)] and node.inputs[1] is not None:
            return Choice(node, data, node.inputs[1], (prod(sizes),), 0)
    return None


def _along(node: ir.Node, mask: ir.Value | None, axis: int) -> Choice | None:
    data, sizes = node.inputs[0], dims(node.inputs[0])
    if data is None or not sizes or mask is None or dims(mask) != [sizes[axis]]:
        return None
    return Choice(node, data, mask, tuple(sizes), axis % len(sizes))


def _row_mask(value: ir.Value | None) -> ir.Value | None:
    """Return the mask [n] of which a value [m] holds the places of what is true."""
    if value is None or value.shape is None or len(value.shape) != 1:
        return None
    while value is not None and (node := value.producer()) is not None and node.op_type in _MOVES:
        value = node.inputs[0]
    return _found(value)


class Region:
    """The nodes behind choices by one mask: `inner` compute with the rows, `ends` need none that is not chosen."""

    def __init__(self, choices: Sequence[Choice], nodes: Sequence[ir.Node], opset: int) -> None:
        """Follow the choices through the nodes, in their order. Raises UnboundedError where the number is read."""
        self.shape = {each.node.outputs[0]: each.shape for each in choices}
        """Shapes of all rows, by what stands for the chosen ones."""
        self.axis, self._opset = choices[0].axis, opset
        self.inner: list[ir.Node] = []
        self.ends: list[ir.Node] = []
        for node in nodes:
            if any(value in self.shape for value in node.inputs if value is not None):
                self._take(node, choices[0].mask)
        if any(value.is_graph_output() for value in self.shape):
            raise UnboundedError("what the mask chooses is an output, and the data decide its length")
        if missing := next((user for value in self.shape for user in users(value) if user not in self._all()), None):
            raise UnboundedError(f"{missing.op_type} '{missing.name}' is in another graph")

    def _all(self) -> set[ir.Node]:
        return {*self.inner, *self.ends}

    def _take(self, node: ir.Node, mask: ir.Value) -> None:
        if node.op_type in REDUCTIONS and node.inputs[0] in self.shape:
            if self.axis in self.reduced(node):
                self.ends.append(node)
                return
        elif node.op_type == "ScatterND" and self._puts_back(node, mask):
            self.ends.append(node)
            return
        shape = self._computed(node)
        if shape is None:
            raise UnboundedError(f"{node.op_type} '{node.name}' reads how many the mask chooses")
        self.inner.append(node)
        self.shape[node.outputs[0]] = shape

    def reduced(self, node: ir.Node) -> list[int]:
        """Return the axes of a reduction, empty where they are computed or what is given is not chosen."""
        rank = len(self.shape[node.inputs[0]]) if node.inputs[0] is not None else 0
        axes = list(node.attributes.get_ints("axes", []))
        if len(node.inputs) > 1 and node.inputs[1] is not None:
            stored = constant(node.inputs[1])
            if stored is None:
                return []
            axes = stored.reshape(-1).tolist()
        if not axes and node.attributes.get_int("noop_with_empty_axes", 0) == 1:
            return []
        return sorted(axis % rank for axis in axes) if axes else list(range(rank))

    def _puts_back(self, node: ir.Node, mask: ir.Value) -> bool:
        """Whether the chosen rows go where the mask took them from, in data of known sizes."""
        sizes, taken = dims(node.inputs[0]), dims(mask)
        if sizes is None or taken is None or node.inputs[0] in self.shape or node.inputs[1] in self.shape:
            return False
        rows = self.shape[node.inputs[2]] if node.inputs[2] is not None else ()
        back = (*taken, *rows[1:])
        plain = node.attributes.get_string("reduction", "none") == "none"
        return plain and self.axis == 0 and masked_places(node.inputs[1]) is mask and tuple(sizes) == back

    def _computed(self, node: ir.Node) -> tuple[int, ...] | None:
        """Return the shape of what a node makes of all rows, None if rows that are not chosen may matter to others."""
        shapes = list(self._shapes(node))
        if any(each is None or 0 in each for each in shapes) or node.domain not in ("", "ai.onnx"):
            return None
        known = [each for each in shapes if each is not None]
        if node.op_type in _EACH:
            return self._beside(node, known)
        whole, last = known[0], len(known[0]) - 1
        if node.inputs[0] not in self.shape or self.axis >= last:
            return None
        if any(value in self.shape for value in node.inputs[1:]):
            return None
        if node.op_type in _LAST and len(node.outputs) == 1 and max(map(len, known[1:]), default=0) < 2:
            default = -1 if self._opset >= _LAST[node.op_type] else 1
            return whole if node.attributes.get_int("axis", default) % len(whole) == last else None
        if node.op_type == "MatMul" and len(known[1]) == 2:
            return (*whole[:-1], known[1][1])
        if node.op_type == "Gemm" and not node.attributes.get_int("transA", 0):
            bias = known[2] if len(known) > 2 else ()
            turned = node.attributes.get_int("transB", 0)
            return (whole[0], known[1][0 if turned else 1]) if len(bias) < 2 or bias[0] == 1 else None
        return None

    def _shapes(self, node: ir.Node) -> Iterator[tuple[int, ...] | None]:
        for value in node.inputs:
            if value is not None:
                known = self.shape.get(value) or dims(value)
                yield None if known is None else tuple(known)

    def _beside(self, node: ir.Node, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
        """Return the shape of an elementwise result, None where something else would lie along the rows."""
        rank = max(map(len, shapes))
        values = [value for value in node.inputs if value is not None]
        for value, each in zip(values, shapes, strict=True):
            place = self.axis - (rank - len(each))
            if value in self.shape:
                if len(each) != rank:
                    return None
            elif place >= 0 and each[place] != 1:
                return None
        return tuple(max(each[at - rank] for each in shapes if rank - at <= len(each)) for at in range(rank))
