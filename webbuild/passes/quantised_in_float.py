"""Quantised operators without a GPU kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes import _whole_sums
from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, nodes_of, replace, users
from webbuild.passes._kernels import placement
from webbuild.passes._whole import EXACT, RANGES, Whole, along, is_single, rank_of, rounded, saturated
from webbuild.passes._whole_sums import Operands

_OPERANDS = {
    "ConvInteger": (0, 1, (2, 3)),
    "MatMulInteger": (0, 1, (2, 3)),
    "QLinearConv": (0, 3, (2, 5)),
    "QLinearMatMul": (0, 3, (2, 5)),
}
"""The inputs of data and weights, and of their zero points."""


class QuantisedInFloat(Pass):
    """Computes with quantised numbers in float32, which has GPU kernels and gives the same whole numbers.

    Why: DynamicQuantizeLinear, QuantizeLinear, ConvInteger, MatMulInteger, QLinearConv and QLinearMatMul have no GPU
    kernel: a quantised model runs on the CPU, with copies each way.

    How: float32 holds every whole number up to 16,777,216 exactly. As long as 255 times the sum of a result's weights
    stays below, a Conv of float32 gives the very numbers of ConvInteger, in whatever order it adds; beyond, its
    channels are taken in parts and added as int32. Rounding, halves to even, is adding 12,582,912 and taking it off
    again. Weights stay stored in 8 bits: DequantizeLinear with a scale of 1 unpacks them on the GPU in every run.
    """

    code = "quantised-in-float"
    after = ("fold-constants", "lower-opset")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Rewrite each in order, so that what follows finds the numbers in float32."""
        if options.table is not None and options.table.target.build == "jsep":
            return []  # its kernels get the rewritten sums wrong, its CPU gets the operators right
        edits: list[Edit] = []
        whole = Whole()
        for node in nodes_of(model, *_REWRITES):
            off_gpu = placement(model, node, options) in ("cpu", "none")
            if not off_gpu and not (node.op_type == "DequantizeLinear" and whole.knows(node.inputs[0])):
                continue
            where = f"{node.op_type} '{node.name}'"
            add = Builder(model.graph, node, f"{node.name or node.op_type}/float")
            refused = _REWRITES[node.op_type](add, whole, node)
            edits.append(self.left(where, refused) if refused else self.done(where, "computed in float32"))
        return edits


def _dynamic(add: Builder, whole: Whole, node: ir.Node) -> str | None:
    """DynamicQuantizeLinear: the range of the data with 0 in it becomes 0..255."""
    data, nothing = node.inputs[0], add.const(0.0)
    low = add.op("Min", _extreme(add, "ReduceMin", node), nothing)
    span = add.op("Sub", add.op("Max", _extreme(add, "ReduceMax", node), nothing), low)
    steps = add.op("Div", span, add.const(255.0))
    scale = add.op("Where", add.op("Equal", span, nothing), add.const(1.0), steps)
    start = add.op("Sub", nothing, add.op("Div", low, scale))
    zero = rounded(add, add.op("Clip", start, nothing, add.const(255.0)))
    ends = add.op("Sub", nothing, zero), add.op("Sub", add.const(255.0), zero)
    centred = add.op("Max", add.op("Min", rounded(add, add.op("Div", data, scale)), ends[1]), ends[0])
    result = whole.became(add, node.outputs[0], add.op("Add", centred, zero))
    replace(node.outputs[1], scale)
    point = whole.became(add, node.outputs[2], zero)
    whole.remember(result, point, centred)
    return None


def _extreme(add: Builder, op: str, node: ir.Node) -> ir.Value:
    """Reduce the last axis first: one sum over everything would be one thread's."""
    rank = rank_of(node.inputs[0])
    value = node.inputs[0] if rank is None or rank < 2 else add.reduce(op, node.inputs[0], rank - 1)
    return add.op(op, value, keepdims=0)


def _quantise(add: Builder, whole: Whole, node: ir.Node) -> str | None:
    """QuantizeLinear: divided by the scale, rounded, cut off at the ends."""
    dtype, rank = node.outputs[0].dtype, rank_of(node.inputs[0])
    scale, given = constant(node.inputs[1]), node.inputs[2] if len(node.inputs) > 2 else None
    zero = np.zeros((), np.uint8) if given is None else constant(given)
    if dtype not in RANGES or rank is None:
        return "its type has no 8 bits, or its rank is not known"
    if scale is None or zero is None:
        return _quantise_by_computed(add, whole, node)
    if scale.ndim > 1 or scale.dtype != np.float32:
        return "it has a scale for each block, or one that is not float32"
    axis = node.attributes.get_int("axis", 1)
    scale, zero = along(scale, axis, rank), along(zero, axis, rank)
    centred = saturated(add, add.op("Div", node.inputs[0], add.const(scale)), zero, dtype)
    _requantised(add, whole, node, centred, zero, given)
    return None


def _quantise_by_computed(add: Builder, whole: Whole, node: ir.Node) -> str | None:
    """QuantizeLinear by one scale and one zero point, of which at least one is computed."""
    scale, given = node.inputs[1], node.inputs[2] if len(node.inputs) > 2 else None
    dtype, stored = node.outputs[0].dtype, constant(given)
    assert dtype is not None
    if not is_single(scale) or scale is None or scale.dtype != ir.DataType.FLOAT:
        return "it has several scales that are computed, or one that is not float32"
    if given is not None and not is_single(given):
        return "it has several zero points, and its scale or they are computed"
    if given is None:
        zero = add.const(0.0)
    else:
        zero = whole.centred(add, given, None) if stored is None else add.const(stored.reshape(()))
    low, high = (add.op("Sub", add.const(limit), zero) for limit in RANGES[dtype])
    steps = add.op("Div", node.inputs[0], scale)
    centred = rounded(add, add.op("Max", add.op("Min", steps, high), low))
    whole.remember(whole.became(add, node.outputs[0], add.op("Add", centred, zero)), given, centred)
    return None


def _requantised(
    add: Builder, whole: Whole, node: ir.Node, centred: ir.Value, zero: NDArray[Any], given: ir.Value | None
) -> None:
    plain = add.op("Add", centred, add.const(zero)) if zero.any() else centred
    whole.remember(whole.became(add, node.outputs[0], plain), given, centred)


def _dequantise(add: Builder, whole: Whole, node: ir.Node) -> str | None:
    """DequantizeLinear of what is at hand in float32."""
    data, scale, rank = node.inputs[0], constant(node.inputs[1]), rank_of(node.inputs[0])
    zero = node.inputs[2] if len(node.inputs) > 2 else None
    if data is None or not whole.knows(data):
        return "its numbers are not those of another quantised operator"
    several = [value for value in (scale, constant(zero)) if value is not None and value.size > 1]
    if scale is None and not is_single(node.inputs[1]):
        return "it has several scales that are computed"
    if rank is None or (several and not whole.has(data, zero)):
        return "it has other scales than what it reads"
    factor = node.inputs[1] if scale is None else add.const(along(scale, node.attributes.get_int("axis", 1), rank))
    replace(node.outputs[0], add.op("Mul", whole.centred(add, data, zero), factor))
    return None


def _integer(add: Builder, whole: Whole, node: ir.Node) -> str | None:
    """ConvInteger and MatMulInteger: who casts the sums to float32 reads them as they are."""
    operands = Operands(node, *_OPERANDS[node.op_type])
    if (refused := _whole_sums.refusal(operands)) is not None:
        return refused
    total, is_float = _whole_sums.sums(add, whole, operands)
    for user in users(node.outputs[0]) if is_float else ():
        if user.op_type == "Cast" and user.attributes.get_int("to", 0) == ir.DataType.FLOAT.value:
            replace(user.outputs[0], total)
    if not node.outputs[0].uses() and not node.outputs[0].is_graph_output():
        return None
    replace(node.outputs[0], add.op("Cast", total, to=ir.DataType.INT32.value) if is_float else total)
    return None


def _linear(add: Builder, whole: Whole, node: ir.Node) -> str | None:
    """QLinearConv and QLinearMatMul: the sums are scaled and quantised again."""
    operands, dtype = Operands(node, *_OPERANDS[node.op_type]), node.outputs[0].dtype
    scales = [constant(node.inputs[index]) for index in (1, 4, 6)]
    zero, bias = constant(node.inputs[7]), constant(node.inputs[8]) if len(node.inputs) > 8 else None
    if (refused := _whole_sums.refusal(operands)) is not None:
        return refused
    ours, theirs, result = scales
    if ours is None or theirs is None or result is None or zero is None or dtype not in RANGES:
        return "a scale or a zero point is computed"
    most = _whole_sums.largest(operands) + (0 if bias is None else int(np.abs(bias.astype(np.int64)).max(initial=0)))
    if ours.size > 1 or result.size > 1 or zero.size > 1 or most >= EXACT:
        return "it has a scale for each row, or its sums may exceed what float32 holds exactly"
    total, _ = _whole_sums.sums(add, whole, operands)
    rank = rank_of(node.inputs[0]) or 0
    if bias is not None:
        total = add.op("Add", total, add.const(along(bias, 1, rank)))
    factor = along(ours.reshape(()) * theirs / result.reshape(()), 1 if operands.is_conv else -1, rank)
    centred = saturated(add, add.op("Mul", total, add.const(factor)), zero.reshape(()), dtype)
    _requantised(add, whole, node, centred, zero.reshape(()), node.inputs[7])
    return None


_REWRITES: dict[str, Callable[[Builder, Whole, ir.Node], str | None]] = {
    "DynamicQuantizeLinear": _dynamic,
    "QuantizeLinear": _quantise,
    "DequantizeLinear": _dequantise,
    "ConvInteger": _integer,
    "MatMulInteger": _integer,
    "QLinearConv": _linear,
    "QLinearMatMul": _linear,
}
