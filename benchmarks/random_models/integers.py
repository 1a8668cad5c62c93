"""Operators on integers, small ones and ones that float32 cannot represent."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto

from benchmarks.random_models.single_operator import RandomChoices, SingleOperator, maker

LARGE = (
    "Cast Neg Abs Identity ArgMax ArgMin ReduceSum ReduceMax ReduceMin ReduceProd CumSum Where Add Sub Mul Div Mod Max "
    "Min Equal Greater Less GreaterOrEqual LessOrEqual"
)


@maker(2)
def whole_unary(dice: RandomChoices) -> SingleOperator:
    """Unary operators on integers and bools."""
    op = dice.some("Abs", "Neg", "Sign", "Relu", "Not", "Identity", "ReduceMax", "ReduceMin", "ReduceSum")
    dtype: Any = np.bool_ if op == "Not" else dice.some(np.int32, np.int32, np.int64)
    x = dice.values(dice.shape(1, 6, 7), dtype)
    if not op.startswith("Reduce"):
        return SingleOperator(op, [x], {}, opset=14)
    axes = sorted(dice.order(x.ndim)[: dice.roll(1, x.ndim)])
    return SingleOperator(op, [x, np.array(axes, np.int64)], {"keepdims": dice.roll(0, 1)}, (1,), opset=18)


@maker(3)
def large_whole(dice: RandomChoices) -> SingleOperator:
    """Integers that float32 cannot represent, such as 2^24 + 1."""
    op = dice.some(*LARGE.split())
    shape = dice.shape(1, 4, 6)
    x = dice.whole(shape, 2**24, 2**24 + 3, np.int32) * np.int32(dice.some(1, 1, 37, -1))
    if op in ("Cast", "Neg", "Abs", "Identity"):
        return SingleOperator(op, [x], {"to": TensorProto.INT64} if op == "Cast" else {}, opset=13)
    if op.startswith("Arg"):
        return SingleOperator(op, [x], {"axis": dice.roll(-len(shape), len(shape) - 1)}, opset=13)
    if op.startswith("Reduce"):
        axes = sorted(dice.order(len(shape))[: dice.roll(1, len(shape))])
        if op == "ReduceProd":  # two factors, so that the product fits
            shape[0], axes = 2, [0]
            x = dice.whole(shape, 4097, 4099, np.int32)
        return SingleOperator(op, [x, np.array(axes, np.int64)], {}, (1,), opset=18)
    if op == "CumSum":
        return SingleOperator(op, [x, np.array(0, np.int64)], {}, (1,))
    other = dice.whole(dice.spread(shape), 2**24, 2**24 + 3, np.int32)
    if op == "Where":
        return SingleOperator(op, [dice.values(shape, np.bool_), x, other])
    if op in ("Div", "Mod"):
        other = np.asarray(other // dice.some(3, 1001), np.int32)
    return SingleOperator(op, [x, other], {}, opset=14)
