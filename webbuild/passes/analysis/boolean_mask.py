"""What a mask chooses, and the nodes after it that may as well compute with all rows in their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.rewrite import consumers, reduction_axes, static_shape

_ELEMENTWISE_OPS = frozenset({
    "Abs", "Add", "And", "Cast", "Clip", "Cos", "Div", "Elu", "Equal", "Erf", "Exp", "Floor", "Gelu", "Greater",
    "GreaterOrEqual", "HardSigmoid", "HardSwish", "LeakyRelu", "Less", "LessOrEqual", "Log", "Max", "Min", "Mul", "Neg",
    "Not", "Or", "Pow", "Reciprocal", "Relu", "Sigmoid", "Sin", "Softplus", "Sqrt", "Sub", "Tanh", "Where",
})  # fmt: skip
"""Operators that compute with each element alone, and with what lies beside it in their other inputs."""
_LAST_AXIS_OPS = {"Softmax": 13, "LogSoftmax": 13, "LayerNormalization": 1}
"""Operators along one axis, and the opset from which on that is the last unless they say otherwise."""
REDUCTION_OPS = frozenset({
    "ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare",
})  # fmt: skip
_RESHAPE_OPS = ("Transpose", "Squeeze", "Reshape")


class NeedsGatherError(Exception):
    """Why what is chosen has to be gathered."""


class MaskSelection(Struct, frozen=True):
    """What a node takes of `data` by a mask of `shape[axis]` elements: `shape` is that of all rows, in their places."""

    node: ir.Node
    data: ir.Value
    mask: ir.Value
    shape: tuple[int, ...]
    axis: int


def mask_of_indices(value: ir.Value | None) -> ir.Value | None:
    """Return the mask of which a value [n, rank] holds the places of what is true, None if it holds anything else."""
    turn = None if value is None else value.producer()
    if turn is None or turn.op_type != "Transpose" or turn.inputs[0] is None:
        return None
    return _nonzero_mask(turn.inputs[0])


def _nonzero_mask(value: ir.Value | None) -> ir.Value | None:
    node = None if value is None else value.producer()
    return node.inputs[0] if node is not None and node.op_type == "NonZero" else None


def mask_selection(node: ir.Node) -> MaskSelection | None:
    """Return what a node chooses by a mask, None for any other node, or where shapes are not known."""
    data, sizes = node.inputs[0], static_shape(node.inputs[0])
    if data is None or sizes is None:
        return None
    match node.op_type:
        case "GatherND" if not node.attributes.get_int("batch_dims", 0):
            mask = mask_of_indices(node.inputs[1])
            taken = static_shape(mask)
            if mask is None or not taken or sizes[: len(taken)] != taken:
                return None
            # data [H, W, C], mask [H, W]: all rows are [H * W, C]
            return MaskSelection(node, data, mask, (prod(taken), *sizes[len(taken) :]), 0)
        case "Gather":
            return _selection_along_axis(node, _row_mask(node.inputs[1]), node.attributes.get_int("axis", 0))
        case "Compress" if "axis" in node.attributes:
            return _selection_along_axis(node, node.inputs[1], node.attributes.get_int("axis", 0))
        case "Compress" if static_shape(node.inputs[1]) == [prod(sizes)] and node.inputs[1] is not None:
            return MaskSelection(node, data, node.inputs[1], (prod(sizes),), 0)
    return None


def _selection_along_axis(node: ir.Node, mask: ir.Value | None, axis: int) -> MaskSelection | None:
    data, sizes = node.inputs[0], static_shape(node.inputs[0])
    if data is None or not sizes or mask is None or static_shape(mask) != [sizes[axis]]:
        return None
    return MaskSelection(node, data, mask, tuple(sizes), axis % len(sizes))


def _row_mask(value: ir.Value | None) -> ir.Value | None:
    """Return the mask [n] of which a value [m] holds the places of what is true."""
    if value is None or value.shape is None or len(value.shape) != 1:
        return None
    while value is not None and (node := value.producer()) is not None and node.op_type in _RESHAPE_OPS:
        value = node.inputs[0]
    return _nonzero_mask(value)


class MaskedRegion:
    """The nodes after choices by one mask: `inner` compute with the rows, `ends` need none that is not chosen."""

    def __init__(self, choices: Sequence[MaskSelection], nodes: Sequence[ir.Node], opset: int) -> None:
        """Follow the choices through the nodes, in their order. Raises NeedsGatherError where the number is read."""
        self.shape = {each.node.outputs[0]: each.shape for each in choices}
        """Shapes of all rows, by what stands for the chosen ones."""
        self.axis, self._opset = choices[0].axis, opset
        self.inner: list[ir.Node] = []
        self.ends: list[ir.Node] = []
        for node in nodes:
            if any(value in self.shape for value in node.inputs if value is not None):
                self._add_node(node, choices[0].mask)
        if any(value.is_graph_output() for value in self.shape):
            raise NeedsGatherError("what the mask chooses is an output, and the data decide its length")
        if missing := next(
            (user for value in self.shape for user in consumers(value) if user not in {*self.inner, *self.ends}), None
        ):
            raise NeedsGatherError(f"{missing.op_type} '{missing.name}' is in another graph")

    def _add_node(self, node: ir.Node, mask: ir.Value) -> None:
        if node.op_type in REDUCTION_OPS and node.inputs[0] in self.shape:
            if self.axis in (reduction_axes(node) or []):
                self.ends.append(node)
                return
        elif node.op_type == "ScatterND" and self._is_scatter_back(node, mask):
            self.ends.append(node)
            return
        shape = self._computed(node)
        if shape is None:
            raise NeedsGatherError(f"{node.op_type} '{node.name}' reads how many the mask chooses")
        self.inner.append(node)
        self.shape[node.outputs[0]] = shape

    def _is_scatter_back(self, node: ir.Node, mask: ir.Value) -> bool:
        """Whether the chosen rows go where the mask took them from, in data of known sizes."""
        sizes, taken = static_shape(node.inputs[0]), static_shape(mask)
        if sizes is None or taken is None or node.inputs[0] in self.shape or node.inputs[1] in self.shape:
            return False
        rows = self.shape[node.inputs[2]] if node.inputs[2] is not None else ()
        back = (*taken, *rows[1:])
        plain = node.attributes.get_string("reduction", "none") == "none"
        return plain and self.axis == 0 and mask_of_indices(node.inputs[1]) is mask and tuple(sizes) == back

    def _computed(self, node: ir.Node) -> tuple[int, ...] | None:
        """Return the shape of what a node makes of all rows, None if rows that are not chosen may matter to others."""
        shapes = list(self._shapes(node))
        if any(each is None or 0 in each for each in shapes) or node.domain not in ("", "ai.onnx"):
            return None
        known = [each for each in shapes if each is not None]
        if node.op_type in _ELEMENTWISE_OPS:
            return self._broadcast_shape(node, known)
        whole, last = known[0], len(known[0]) - 1
        if node.inputs[0] not in self.shape or self.axis >= last:
            return None
        if any(value in self.shape for value in node.inputs[1:]):
            return None
        if node.op_type in _LAST_AXIS_OPS and len(node.outputs) == 1 and max(map(len, known[1:]), default=0) < 2:
            default = -1 if self._opset >= _LAST_AXIS_OPS[node.op_type] else 1
            return whole if node.attributes.get_int("axis", default) % len(whole) == last else None
        if node.op_type == "MatMul" and len(known[1]) == 2:
            # [..., n, K] @ [K, M] -> [..., n, M]
            return (*whole[:-1], known[1][1])
        if node.op_type == "Gemm" and not node.attributes.get_int("transA", 0):
            bias = known[2] if len(known) > 2 else ()
            turned = node.attributes.get_int("transB", 0)
            return (whole[0], known[1][0 if turned else 1]) if len(bias) < 2 or bias[0] == 1 else None
        return None

    def _shapes(self, node: ir.Node) -> Iterator[tuple[int, ...] | None]:
        for value in node.inputs:
            if value is not None:
                known = self.shape.get(value) or static_shape(value)
                yield None if known is None else tuple(known)

    def _broadcast_shape(self, node: ir.Node, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
        """Return the shape of an elementwise result, None where something else would lie along the rows."""
        rank = max(map(len, shapes))
        values = [value for value in node.inputs if value is not None]
        for value, each in zip(values, shapes, strict=True):
            # operands are aligned at their last axes
            place = self.axis - (rank - len(each))
            if value in self.shape:
                if len(each) != rank:
                    return None
            elif place >= 0 and each[place] != 1:
                return None
        return tuple(max(each[at - rank] for each in shapes if rank - at <= len(each)) for at in range(rank))
