from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.analysis.kernel_lookup import placement
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.dtypes import exact_int_matmul
from webbuild.passes.dtypes.exact_int_matmul import IntMatmulOperands
from webbuild.passes.dtypes.exact_ints import (
    FLOAT32_EXACT_MAX,
    QUANTIZED_RANGES,
    ExactInts,
    broadcast_along,
    is_scalar,
    round_half_even,
    saturate,
)
from webbuild.passes.rewrite import (
    attribute_values,
    constant,
    consumers,
    find_nodes,
    input_value,
    is_read,
    known_rank,
    replace_all_uses,
)

_OPERANDS = {
    "ConvInteger": (0, 1, (2, 3)),
    "MatMulInteger": (0, 1, (2, 3)),
    "QLinearConv": (0, 3, (2, 5)),
    "QLinearMatMul": (0, 3, (2, 5)),
}
"""Input indices of data, weights and (data zero point, weight zero point)."""

_MOVES = (
    "Concat", "DepthToSpace", "Expand", "Flatten", "Gather", "MaxPool", "Reshape", "Resize", "Slice", "Split",
    "Squeeze", "Tile", "Transpose", "Unsqueeze",
)  # fmt: skip
"""Operators that only move elements or select some."""


class DequantizeOps(Pass):
    """Computes quantized operators in float32, which has GPU kernels, with the same integer results.

        ConvInteger(x uint8, w int8, zx, zw)    ->  Cast(Conv(x - zx, w - zw), int32)
        QLinearConv(x, sx, zx, w, ...)          ->  Clip(Round(Conv(x - zx, w - zw) * (sx * sw / sy)), ...) + zy
        DynamicQuantizeLinear(x)                ->  Clip(Round(x / s), -z, 255 - z) + z,  s = (max - min) / 255
        QuantizeLinear(x, s, z) -> DequantizeLinear(q, s, z)  ->  Clip(Round(x / s), ...) * s

    Why: DynamicQuantizeLinear, QuantizeLinear, ConvInteger, MatMulInteger, QLinearConv and QLinearMatMul have no GPU
    kernel. A quantized model runs on the CPU, with copies each way.

    How: every integer up to 16,777,216 is exact in float32.

    - As long as 255 times the sum of an output's weights stays below that, a float32 Conv returns the numbers of
      ConvInteger, whatever the order of summation. Beyond, groups of channels are computed separately and added as
      int32.
    - To round half to even, the pass adds 12,582,912 and subtracts it again.
    - Weights stay stored in 8 bits: DequantizeLinear with a scale of 1 unpacks them on the GPU in every run.
    - Data movement of bytes (Reshape, Split, Concat, nearest Resize ...) moves the float32 values instead.

    Limits: static shapes, constant zero points of the weights. Exact. The formulas are those of the ONNX operator
    specification.
    """

    code = "dequantize-ops"
    after = ("decompose-qlinear", "fold-constants", "downgrade-opset")
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite the nodes in order, so that later nodes find their inputs as float32."""
        rewrites: list[Rewrite] = []
        ints = ExactInts()
        for node in find_nodes(model, *_REWRITES):
            if node.op_type in _IN_FLOAT:
                if not all(map(ints.has_float, _data(node))):
                    continue
            elif placement(model, node, options) not in ("cpu", "none"):
                continue
            add = Builder(model.graph, node, f"{node.name or node.op_type}/float")
            refused = _REWRITES[node.op_type](add, ints, node)
            rewrites.append(self.skipped(node, refused) if refused else self.applied(node, "computed in float32"))
        return rewrites


def _dynamic_quantize(add: Builder, ints: ExactInts, node: ir.Node) -> str | None:
    """DynamicQuantizeLinear: the range of the data, extended to include 0, becomes 0..255."""
    data, nothing = node.inputs[0], add.const(0.0)
    # scale = (max(x, 0) - min(x, 0)) / 255, zero = round(-min / scale): ONNX's DynamicQuantizeLinear
    low = add.op("Min", _extreme(add, "ReduceMin", node), nothing)
    span = add.op("Sub", add.op("Max", _extreme(add, "ReduceMax", node), nothing), low)
    steps = add.op("Div", span, add.const(255.0))
    scale = add.op("Where", add.op("Equal", span, nothing), add.const(1.0), steps)
    start = add.op("Sub", nothing, add.op("Div", low, scale))
    zero = round_half_even(add, add.op("Clip", start, nothing, add.const(255.0)))
    ends = add.op("Sub", nothing, zero), add.op("Sub", add.const(255.0), zero)
    centred = add.op("Max", add.op("Min", round_half_even(add, add.op("Div", data, scale)), ends[1]), ends[0])
    result = ints.replace(add, node.outputs[0], add.op("Add", centred, zero))
    replace_all_uses(node.outputs[1], scale)
    point = ints.replace(add, node.outputs[2], zero)
    ints.record(result, point, centred)
    return None


def _extreme(add: Builder, op: str, node: ir.Node) -> ir.Value:
    """Reduce the last axis first: a single reduction of all axes would run in one thread."""
    rank = known_rank(node.inputs[0])
    value = node.inputs[0] if rank is None or rank < 2 else add.reduce(op, node.inputs[0], rank - 1)
    return add.op(op, value, keepdims=0)


def _quantize_linear(add: Builder, ints: ExactInts, node: ir.Node) -> str | None:
    """QuantizeLinear: divide by the scale, round and clamp."""
    dtype, rank = node.outputs[0].dtype, known_rank(node.inputs[0])
    scale, zero_point = constant(node.inputs[1]), input_value(node, 2)
    zero = np.zeros((), np.uint8) if zero_point is None else constant(zero_point)
    if dtype not in QUANTIZED_RANGES or rank is None:
        return "its type has neither 8 nor 16 bits, or its rank is unknown"
    if scale is None or zero is None:
        return _quantize_by_computed_scale(add, ints, node)
    if scale.ndim > 1 or node.attributes.get_int("block_size", 0) > 0 or scale.dtype != np.float32:
        return "it has a scale per block, or a scale that is not float32"
    axis = node.attributes.get_int("axis", 1)
    scale, zero = broadcast_along(scale, axis, rank), broadcast_along(zero, axis, rank)
    centred = saturate(add, add.op("Div", node.inputs[0], add.const(scale)), zero, dtype)
    _requantize(add, ints, node, centred, zero, zero_point)
    return None


def _quantize_by_computed_scale(add: Builder, ints: ExactInts, node: ir.Node) -> str | None:
    """QuantizeLinear with one scale and one zero point, at least one of them computed."""
    scale, zero_point = node.inputs[1], input_value(node, 2)
    dtype, stored = node.outputs[0].dtype, constant(zero_point)
    assert dtype is not None
    if not is_scalar(scale) or scale is None or scale.dtype != ir.DataType.FLOAT:
        return "it has several computed scales, or a scale that is not float32"
    if zero_point is not None and not is_scalar(zero_point):
        return "it has several zero points, and they or its scale are computed"
    if zero_point is None:
        zero = add.const(0.0)
    else:
        zero = ints.centered(add, zero_point, None) if stored is None else add.const(stored.reshape(()))
    low, high = (add.op("Sub", add.const(limit), zero) for limit in QUANTIZED_RANGES[dtype])
    steps = add.op("Div", node.inputs[0], scale)
    centred = round_half_even(add, add.op("Max", add.op("Min", steps, high), low))
    ints.record(ints.replace(add, node.outputs[0], add.op("Add", centred, zero)), zero_point, centred)
    return None


def _requantize(
    add: Builder, ints: ExactInts, node: ir.Node, centred: ir.Value, zero: NDArray[Any], zero_point: ir.Value | None
) -> None:
    plain = add.op("Add", centred, add.const(zero)) if zero.any() else centred
    ints.record(ints.replace(add, node.outputs[0], plain), zero_point, centred)


def _dequantize_linear(add: Builder, ints: ExactInts, node: ir.Node) -> str | None:
    """DequantizeLinear of a value that is available as float32."""
    data, scale, rank = node.inputs[0], constant(node.inputs[1]), known_rank(node.inputs[0])
    zero = input_value(node, 2)
    if data is None or not ints.has_float(data):
        return "no quantized operator computes its data"
    several = [value for value in (scale, constant(zero)) if value is not None and value.size > 1]
    if scale is None and not is_scalar(node.inputs[1]):
        return "it has several computed scales"
    if rank is None or (several and not ints.has_centered(data, zero)):
        return "its scales differ from those of its data"
    factor = (
        node.inputs[1] if scale is None else add.const(broadcast_along(scale, node.attributes.get_int("axis", 1), rank))
    )
    replace_all_uses(node.outputs[0], add.op("Mul", ints.centered(add, data, zero), factor))
    return None


def _data(node: ir.Node) -> tuple[ir.Value | None, ...]:
    """Return the data inputs, without sizes and indices."""
    return tuple(node.inputs) if node.op_type == "Concat" else tuple(node.inputs[:1])


def _move(add: Builder, ints: ExactInts, node: ir.Node) -> str | None:
    """Move the float32 values. For a DequantizeLinear of moved bytes, ONNX Runtime adds a QuantizeLinear on the CPU."""
    if node.op_type == "MaxPool" and len(node.outputs) > 1:
        return "it has several outputs"
    if node.op_type == "Resize" and node.attributes.get_string("mode", "nearest") != "nearest":
        return "it computes new numbers"
    data = [ints.plain(value) for value in _data(node)]
    inputs, count = [*data, *node.inputs[len(data) :]], len(node.outputs)
    for old, moved in zip(
        node.outputs, add.node(node.op_type, *inputs, outputs=count, **attribute_values(node)), strict=True
    ):
        moved.shape, moved.type = old.shape, ir.TensorType(ir.DataType.FLOAT)
        ints.replace(add, old, moved)
    return None


def _argmax(_: Builder, ints: ExactInts, node: ir.Node) -> str | None:
    """ArgMax of a value that is available as float32: the same index."""
    node.replace_input_with(0, ints.plain(node.inputs[0]))
    return None


def _integer_matmul(add: Builder, ints: ExactInts, node: ir.Node) -> str | None:
    """ConvInteger and MatMulInteger: readers that cast the sums to float32 read them without a Cast."""
    operands = IntMatmulOperands(node, *_OPERANDS[node.op_type])
    if (refused := exact_int_matmul.exact_sum_blocker(operands)) is not None:
        return refused
    total, is_float = exact_int_matmul.exact_sums(add, ints, operands)
    for user in consumers(node.outputs[0]) if is_float else ():
        if user.op_type == "Cast" and user.attributes.get_int("to", 0) == ir.DataType.FLOAT.value:
            replace_all_uses(user.outputs[0], total)
    if not is_read(node.outputs[0]):
        return None
    replace_all_uses(node.outputs[0], add.cast(total, ir.DataType.INT32) if is_float else total)
    return None


def _qlinear(add: Builder, ints: ExactInts, node: ir.Node) -> str | None:
    """QLinearConv and QLinearMatMul: scale and quantize the sums."""
    operands, dtype = IntMatmulOperands(node, *_OPERANDS[node.op_type]), node.outputs[0].dtype
    scales = [constant(node.inputs[index]) for index in (1, 4, 6)]
    zero, bias = constant(node.inputs[7]), constant(input_value(node, 8))
    if (refused := exact_int_matmul.exact_sum_blocker(operands)) is not None:
        return refused
    x_scale, w_scale, y_scale = scales
    if x_scale is None or w_scale is None or y_scale is None or zero is None or dtype not in QUANTIZED_RANGES:
        return "a scale or a zero point is computed"
    if bias is None and input_value(node, 8) is not None:
        return "its bias is computed"
    most = exact_int_matmul.sum_bound(operands) + (
        0 if bias is None else int(np.abs(bias.astype(np.int64)).max(initial=0))
    )
    if x_scale.size > 1 or y_scale.size > 1 or zero.size > 1 or most >= FLOAT32_EXACT_MAX:
        return "it has a scale per row, or its sums may exceed 2^24, beyond which float32 is not exact"
    total, _ = exact_int_matmul.exact_sums(add, ints, operands)
    rank = known_rank(node.inputs[0]) or 0
    if bias is not None:
        total = add.op("Add", total, add.const(broadcast_along(bias, 1, rank)))
    # y = (sum + bias) * (sx * sw / sy) + zy: one factor for each channel [M] -> [1, M, 1, 1]
    factor = broadcast_along(x_scale.reshape(()) * w_scale / y_scale.reshape(()), 1 if operands.is_conv else -1, rank)
    centred = saturate(add, add.op("Mul", total, add.const(factor)), zero.reshape(()), dtype)
    _requantize(add, ints, node, centred, zero.reshape(()), node.inputs[7])
    return None


_REWRITES: dict[str, Callable[[Builder, ExactInts, ir.Node], str | None]] = {
    "DynamicQuantizeLinear": _dynamic_quantize,
    "QuantizeLinear": _quantize_linear,
    "DequantizeLinear": _dequantize_linear,
    "ConvInteger": _integer_matmul,
    "MatMulInteger": _integer_matmul,
    "QLinearConv": _qlinear,
    "QLinearMatMul": _qlinear,
    **dict.fromkeys(_MOVES, _move),
    "ArgMax": _argmax,
}
_IN_FLOAT = ("DequantizeLinear", "ArgMax", *_MOVES)
"""Operators that are rewritten if their data is available as float32, even if there is a GPU kernel for bytes."""
