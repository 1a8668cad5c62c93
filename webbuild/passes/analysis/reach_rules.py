"""Rules of reach for all operators: from input bounds to output bounds; see `reach`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import onnx_ir as ir

from webbuild.passes.analysis.batch_axis import ELEMENTWISE_OPS
from webbuild.passes.analysis.normalized_axes import SOFTMAXES, normalized_axes
from webbuild.passes.analysis.reach import Bound, UnknownReachError, least, windowed
from webbuild.passes.analysis.reach_moves import MOVES, Rule, picture_bound
from webbuild.passes.analysis.reach_windows import pool_tables, transposed_tables
from webbuild.passes.rewrite import constant, input_value, known_rank, reduction_axes

POINTWISE_OPS = ELEMENTWISE_OPS | {
    *("Acos", "Asin", "Asinh", "Atan", "Atanh", "Acosh", "BitShift", "Celu", "Cos", "Cosh", "Elu", "Erf"),
    *("FastGelu", "Gelu", "HardSigmoid", "HardSwish", "IsInf", "IsNaN", "LeakyRelu", "Mean", "Mish", "PRelu"),
    *("QuickGelu", "Reciprocal", "Round", "Selu", "Shrink", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sum"),
    *("Swish", "Tan", "Tanh", "ThresholdedRelu", "Xor"),
}
"""Elementwise operators with broadcasting."""
_FIRST_INPUT_OPS = {"BatchNormalization", "DequantizeLinear", "Dropout", "QuantizeLinear"}
"""Operators that are elementwise in the first input; the others are parameters of a channel."""
SIZE_OPS = {"Shape", "Size"}
"""Operators that read no pixel."""


def rule_of(node: ir.Node) -> Rule | None:
    """Return the rule of a node's operator; None if there is none, so that the operator may read any position."""
    if node.op_type in POINTWISE_OPS:
        return _pointwise
    if node.op_type.startswith("Reduce") or node.op_type in ("ArgMax", "ArgMin"):
        return _reduce
    return _RULES.get(node.op_type)


def _pointwise(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    bound = least([each for each in bounds if each is not None])
    rank = known_rank(node.outputs[0]) or bound.ndim
    return [bound.reshape((1,) * (rank - bound.ndim) + bound.shape)]


def _first_input(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    return [picture_bound(bounds)] * len(node.outputs)


def _reduce(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    data = picture_bound(bounds)
    axes = [node.attributes.get_int("axis", 0) % data.ndim] if "Arg" in node.op_type else reduction_axes(node)
    return [_over(data, axes or [], keep=bool(node.attributes.get_int("keepdims", 1)))]


def _along_axis(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    """Operators along one axis, or from one axis to the last."""
    data = picture_bound(bounds)
    if node.op_type in SOFTMAXES or "LayerNormalization" in node.op_type:
        return [_over(data, normalized_axes(node, data.ndim))] * len(node.outputs)
    axis = node.attributes.get_int("axis", -1) % data.ndim
    if (places := constant(input_value(node, 1))) is not None and node.op_type == "CumSum":
        axis = int(places.item()) % data.ndim
    return [_over(data, [axis])] * len(node.outputs)


def _over_positions(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    data = picture_bound(bounds)
    first = 1 if node.op_type == "GroupNormalization" else 2
    return [_over(data, range(first, data.ndim))] * len(node.outputs)


def _over_channels(_: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    return [_over(picture_bound(bounds), [1])]


def _over_all(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    data = picture_bound(bounds)
    return [_over(data, range(data.ndim))] * len(node.outputs)


def _over(bound: Bound, axes: Iterable[int], *, keep: bool = True) -> Bound:
    reduced_bound: Bound = bound.min(axis=tuple(axes), keepdims=keep)
    return reduced_bound


def _product(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    """[..., I, K] x [..., K, J] -> [..., I, J]: element (i, j) reads row i of the left, column j of the right."""
    left, right = bounds[0], bounds[3 if node.op_type == "QLinearMatMul" else 1]
    if node.op_type == "Gemm":

        def transposed(name: str) -> bool:
            return bool(node.attributes.get_int(name, 0))

        left = left.T if left is not None and transposed("transA") else left
        right = right.T if right is not None and transposed("transB") else right
    if any(each is not None and each.ndim < 2 for each in (left, right)):
        raise UnknownReachError("multiplies a vector")
    sides = [] if left is None else [_over(left, [left.ndim - 1])]
    sides += [] if right is None else [_over(right, [right.ndim - 2])]
    return _pointwise(node, sides)


def _convolution(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    bound = _over(picture_bound(bounds), [1])
    tables = transposed_tables(node) if node.op_type == "ConvTranspose" else pool_tables(node)
    for axis, table in enumerate(tables, 2):
        bound = windowed(bound, axis, table)
    return [bound]


def _pool(node: ir.Node, bounds: Sequence[Bound | None]) -> Sequence[Bound]:
    bound = picture_bound(bounds)
    for axis, table in enumerate(pool_tables(node), 2):
        bound = windowed(bound, axis, table)
    return [bound]


_RULES: dict[str, Rule] = {
    **MOVES,
    **dict.fromkeys(_FIRST_INPUT_OPS, _first_input),
    **dict.fromkeys(("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", "InstanceNormalization"), _over_positions),
    **dict.fromkeys(("GroupNormalization", "MeanVarianceNormalization"), _over_positions),
    **dict.fromkeys(("CumSum", "Hardmax", "LogSoftmax", "Softmax", "LpNormalization"), _along_axis),
    **dict.fromkeys(("LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization"), _along_axis),
    **dict.fromkeys(("Gemm", "MatMul", "MatMulInteger", "QLinearMatMul"), _product),
    **dict.fromkeys(("Conv", "ConvInteger", "ConvTranspose", "QLinearConv"), _convolution),
    **dict.fromkeys(("AveragePool", "LpPool", "MaxPool"), _pool),
    "DynamicQuantizeLinear": _over_all,
    "LRN": _over_channels,
}
