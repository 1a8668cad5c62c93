"""Output shapes of operators that compute each row independently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx_ir as ir

from webbuild.model.node_shape import node_output_shape
from webbuild.passes.analysis.row_counts import Known
from webbuild.passes.rewrite import constant, input_value, static_shape

_ELEMENTWISE_OPS = frozenset({
    "Abs", "Add", "And", "Cast", "Ceil", "Clip", "Cos", "Div", "Elu", "Equal", "Erf", "Exp", "Floor", "Gelu", "Greater",
    "GreaterOrEqual", "HardSigmoid", "HardSwish", "Identity", "LeakyRelu", "Less", "LessOrEqual", "Log", "Max", "Min",
    "Mod", "Mul", "Neg", "Not", "Or", "Pow", "Reciprocal", "Relu", "Sigmoid", "Sin", "Softplus", "Sqrt", "Sub", "Tanh",
    "Where", "Xor",
})  # fmt: skip
"""Elementwise operators with broadcasting."""
_LAST_AXIS_OPS = {"Softmax": 13, "LogSoftmax": 13, "LayerNormalization": 1}
"""Operators along one axis, and the opset from which on the default is the last."""
_PICTURE_OPS = frozenset({
    "AveragePool", "Conv", "ConvTranspose", "DepthToSpace", "GlobalAveragePool", "GlobalMaxPool",
    "InstanceNormalization", "MaxPool", "Pad", "SpaceToDepth",
})  # fmt: skip
"""Operators that compute each image of a batch [n, C, H, W] independently."""


def computed_shape(node: ir.Node, axis: int, known: Known, opset: int) -> tuple[int, ...] | None:
    """Return the output shape of an elementwise operator, or of a layer, normalization or softmax of each row."""
    shapes = list(_shapes(node, known))
    if any(each is None or 0 in each for each in shapes):
        return None
    sizes = [each for each in shapes if each is not None]
    if node.op_type in _ELEMENTWISE_OPS:
        return _broadcast_shape(node, sizes, axis, known)
    whole, last = sizes[0], len(sizes[0]) - 1
    if node.inputs[0] not in known or axis >= last:
        return None
    if any(value in known for value in node.inputs[1:] if value is not None):
        return None
    if node.op_type in _PICTURE_OPS and axis == 0 and len(node.outputs) == 1:
        return _inferred_shape(node, sizes, opset) if node.op_type != "Pad" or _pads_no_row(node, len(whole)) else None
    if node.op_type in _LAST_AXIS_OPS and len(node.outputs) == 1 and max(map(len, sizes[1:]), default=0) < 2:
        default = -1 if opset >= _LAST_AXIS_OPS[node.op_type] else 1
        return whole if node.attributes.get_int("axis", default) % len(whole) == last else None
    if node.op_type == "MatMul" and len(sizes[1]) == 2:
        # [..., n, K] @ [K, M] -> [..., n, M]
        return (*whole[:-1], sizes[1][1])
    if node.op_type == "Gemm" and not node.attributes.get_int("transA", 0):
        bias = sizes[2] if len(sizes) > 2 else ()
        turned = node.attributes.get_int("transB", 0)
        return (whole[0], sizes[1][0 if turned else 1]) if len(bias) < 2 or bias[0] == 1 else None
    return None


def _shapes(node: ir.Node, known: Known) -> Iterator[tuple[int, ...] | None]:
    for value in node.inputs:
        if value is not None:
            sizes = known[value].shape if value in known else static_shape(value)
            yield None if sizes is None else tuple(sizes)


def _broadcast_shape(
    node: ir.Node, shapes: Sequence[tuple[int, ...]], axis: int, known: Known
) -> tuple[int, ...] | None:
    """Return the output shape of an elementwise operator, None if an operand has other data along the rows."""
    rank = max(map(len, shapes))
    values = [value for value in node.inputs if value is not None]
    for value, each in zip(values, shapes, strict=True):
        # operands are aligned at their last axes
        position = axis - (rank - len(each))
        if value in known:
            if len(each) != rank or known[value].axis != axis:
                return None
        elif position >= 0 and each[position] != 1:
            return None
    return tuple(max(each[at - rank] for each in shapes if rank - at <= len(each)) for at in range(rank))


def _pads_no_row(node: ir.Node, rank: int) -> bool:
    """Whether a Pad adds nothing along the first axis."""
    pads, axes = constant(input_value(node, 1)), constant(input_value(node, 3))
    if pads is None or (input_value(node, 3) is not None and axes is None):
        return False
    places = list(range(rank)) if axes is None else [int(axis) % rank for axis in axes]
    return all(not pads[at] and not pads[at + len(places)] for at, axis in enumerate(places) if axis == 0)


def _inferred_shape(node: ir.Node, shapes: Sequence[tuple[int, ...]], opset: int) -> tuple[int, ...] | None:
    values = [value for value in node.inputs if value is not None]
    constants = {value: array for value in values if (array := constant(value)) is not None and array.dtype.kind == "i"}
    return node_output_shape(node, dict(zip(values, shapes, strict=True)), constants, opset)
