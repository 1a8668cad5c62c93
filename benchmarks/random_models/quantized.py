"""Quantized operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.random_models.single_operator import RandomChoices, SingleOperator, maker


def _point(dice: RandomChoices, dtype: Any, shape: tuple[int, ...] = ()) -> Any:
    return dice.whole(shape, *((-128, 127) if dtype == np.int8 else (0, 255)), dtype)


def _scale(dice: RandomChoices) -> Any:
    return dice.floats(low=0.01, high=0.1)


@maker(3)
def dequantize(dice: RandomChoices) -> SingleOperator:
    shape, dtype = dice.shape(2, 4), dice.some(np.uint8, np.int8, np.int32)
    per_axis = dice.odds(0.4)
    axis = dice.roll(0, len(shape) - 1)
    room = (shape[axis],) if per_axis else ()
    x = dice.whole(shape, -9999, 9999, np.int32) if dtype == np.int32 else _point(dice, dtype, tuple(shape))
    inputs = [x, dice.floats(*room, low=0.01)]
    if dtype != np.int32 and dice.odds(0.7):
        inputs.append(_point(dice, dtype, room))
    fixed = tuple(range(dice.roll(0, 1), len(inputs)))
    return SingleOperator(
        "DequantizeLinear", inputs, {"axis": axis} if per_axis else {}, fixed, opset=dice.some(13, 13, 19, 21)
    )


@maker(2)
def quantize(dice: RandomChoices) -> SingleOperator:
    dtype = dice.some(np.uint8, np.int8)
    x = dice.floats(*dice.shape(2, 4)) * 3
    if dice.odds(0.5):
        return SingleOperator("DynamicQuantizeLinear", [x], {}, outputs=3)
    return SingleOperator(
        "QuantizeLinear", [x, dice.floats(low=0.01), _point(dice, dtype)], {}, (1, 2), opset=dice.some(13, 19)
    )


@maker(2)
def integer(dice: RandomChoices) -> SingleOperator:
    a, b = dice.some(np.uint8, np.int8), dice.some(np.uint8, np.int8)
    if dice.odds(0.5):
        m, k, n = dice.ints(3, 1, 20)
        return SingleOperator(
            "MatMulInteger",
            [_point(dice, a, (m, k)), _point(dice, b, (k, n)), _point(dice, a), _point(dice, b)],
            {},
            (1, 3),
        )
    c, o, k = dice.roll(1, 9), dice.roll(1, 9), dice.roll(1, 3)
    inputs = [
        _point(dice, np.uint8, (1, c, 7, 7)),
        _point(dice, b, (o, c, k, k)),
        _point(dice, np.uint8),
        np.zeros((), b),
    ]
    return SingleOperator("ConvInteger", inputs, {"pads": [k // 2] * 4}, (1, 3))


@maker(2)
def qlinear(dice: RandomChoices) -> SingleOperator:
    dtype = dice.some(np.uint8, np.int8)
    if dice.odds(0.4):
        m, k, n = dice.ints(3, 1, 20)
        inputs = [
            _point(dice, dtype, (m, k)),
            _scale(dice),
            _point(dice, dtype),
            _point(dice, dtype, (k, n)),
            _scale(dice),
            _point(dice, dtype),
            _scale(dice) * 9,
            _point(dice, dtype),
        ]
        return SingleOperator("QLinearMatMul", inputs, {}, tuple(range(1, 8)))
    if dice.odds(0.5):
        shape = dice.shape(1, 4)
        side = [[_point(dice, dtype, tuple(shape)), _scale(dice), _point(dice, dtype)] for _ in range(2)]
        inputs = [*side[0], *side[1], _scale(dice), _point(dice, dtype)]
        return SingleOperator(
            dice.some("QLinearAdd", "QLinearMul"), inputs, {}, (1, 2, 4, 5, 6, 7), domain="com.microsoft"
        )
    c, o, k = dice.roll(1, 9), dice.roll(1, 9), dice.roll(1, 3)
    inputs = [
        _point(dice, dtype, (1, c, 7, 7)),
        _scale(dice),
        _point(dice, dtype),
        _point(dice, dtype, (o, c, k, k)),
        _scale(dice),
        np.zeros((), dtype),
        _scale(dice) * 9,
        _point(dice, dtype),
        dice.whole((o,), -500, 500, np.int32),
    ]
    return SingleOperator("QLinearConv", inputs, {"pads": [k // 2] * 4}, tuple(range(1, 9)))
