"""Arithmetic: elementwise, matrices, reductions, selection."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto

from benchmarks.random_models.single_operator import RandomChoices, SingleOperator, maker

UNARY = (
    "Abs Neg Exp Sin Cos Tanh Sigmoid Relu Erf Floor Ceil HardSigmoid HardSwish Elu LeakyRelu Softplus Atan Tan Gelu "
    "Identity Round Sign Softsign Selu Celu Mish"
)
POSITIVE = "Log Sqrt Reciprocal"
REDUCTIONS = (
    "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp"
)


@maker(4)
def binary(dice: RandomChoices) -> SingleOperator:
    op = dice.some(
        "Add",
        "Sub",
        "Mul",
        "Div",
        "Max",
        "Min",
        "Equal",
        "Greater",
        "Less",
        "GreaterOrEqual",
        "LessOrEqual",
        "And",
        "Or",
        "Xor",
        "PRelu",
        "Mod",
    )
    shape = dice.shape(1, 6, 7)
    dtype: Any = np.bool_ if op in ("And", "Or", "Xor") else dice.some(np.float32, np.float32, np.int32)
    a, b = dice.values(shape, dtype), dice.values(dice.spread(shape), dtype)
    if op in ("Div", "Mod") and dtype == np.int32:
        a, b = a * 7, np.where(b == 0, dtype(3), b)
        a, b = (a, b) if dice.odds(0.5) else (abs(a) + 1, abs(b) + 1)
    if op not in ("PRelu", "Div", "Mod") and dice.odds(0.4):
        a, b = b, a
    attributes = {"fmod": 1} if op == "Mod" and dtype == np.float32 else {}
    return SingleOperator(op, [a, b], attributes, (1,) if dice.odds(0.4) else ())


@maker(2)
def power(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape(1, 5, 7)
    base: Any = dice.some(np.float32, np.float32, np.int32)
    exponent: Any = dice.some(np.float32, np.int32, np.int64)
    value = dice.some(2, 3, 1, 0, -1, 4, 0.5, 1.5) if exponent == np.float32 else dice.roll(0, 4)
    value = int(abs(value)) if base == np.int32 else value
    x = dice.values(shape, base)
    x = x if float(value).is_integer() and not (base == np.float32 and value == -1) else abs(x) + base(1)
    return SingleOperator(
        "Pow",
        [x, np.full([] if dice.odds(0.6) else dice.spread(shape), value, exponent)],
        {},
        (1,) if dice.odds(0.8) else (),
    )


@maker(2)
def unary(dice: RandomChoices) -> SingleOperator:
    op = dice.some(*UNARY.split(), *POSITIVE.split())
    x = (
        dice.floats(*dice.shape(1, 6, 7), low=0.1, high=9)
        if op in POSITIVE
        else dice.floats(*dice.shape(1, 6, 7)) * np.float32(dice.some(1, 5))
    )
    return SingleOperator(op, [x], {}, opset=20 if op == "Gelu" else 18 if op == "Mish" else dice.some(14, 17))


@maker()
def clip(dice: RandomChoices) -> SingleOperator:
    dtype: Any = dice.some(np.float32, np.float32, np.int32)
    bounds = [None if dice.odds(0.3) else np.array(dtype(value)) for value in (-1, 2)]
    return SingleOperator("Clip", [dice.values(dice.shape(), dtype), *bounds], {}, (1, 2))


@maker(5)
def reduction(dice: RandomChoices) -> SingleOperator:
    op = dice.some(*REDUCTIONS.split())
    shape = dice.shape(1, 6, 7)
    x = dice.floats(*shape, low=0.1, high=2) if "Log" in op or op == "ReduceProd" else dice.floats(*shape)
    if op in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd") and dice.odds(0.25):
        x = dice.whole(shape, 1, 1 if op == "ReduceProd" else 3, np.int32)
    axes = sorted(dice.order(len(shape))[: dice.roll(1, len(shape))])
    axes = [axis - len(shape) if dice.odds(0.3) else axis for axis in axes]
    attributes: dict[str, Any] = {"keepdims": dice.roll(0, 1)}
    if dice.odds(0.15):
        return SingleOperator(op, [x], attributes, opset=dice.some(13, 18))
    if op == "ReduceSum" or dice.odds(0.5):
        return SingleOperator(op, [x, np.array(axes, np.int64)], attributes, (1,), opset=18)
    return SingleOperator(op, [x], {**attributes, "axes": axes}, opset=13)


@maker()
def arg(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape()
    attributes = {
        "axis": dice.roll(-len(shape), len(shape) - 1),
        "keepdims": dice.roll(0, 1),
        "select_last_index": dice.roll(0, 1),
    }
    x = dice.some(dice.floats(*shape), dice.whole(shape, 0, 3, np.int32), dice.whole(shape, 0, 3, np.float32))
    return SingleOperator(dice.some("ArgMax", "ArgMin"), [x], attributes, opset=13)


@maker(2)
def softmax(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape()
    return SingleOperator(
        dice.some("Softmax", "LogSoftmax"),
        [dice.floats(*shape) * 4],
        {"axis": dice.roll(-len(shape), len(shape) - 1)},
        opset=dice.some(11, 13, 17),
    )


@maker(4)
def matmul(dice: RandomChoices) -> SingleOperator:
    m, k, n = dice.roll(1, 20), dice.some(dice.roll(1, 40), 64, 129), dice.some(dice.roll(1, 40), 3, 6, 65)
    batch = dice.ints(dice.roll(0, 3), 1, 4)
    a, b = [*dice.spread(batch), m, k], [*dice.spread(batch), k, n]
    if dice.odds(0.15):
        a = [k] if dice.odds(0.5) else a
        b = [k] if len(a) > 1 else b
    return SingleOperator("MatMul", [dice.floats(*a), dice.floats(*b)], {}, (1,) if dice.odds(0.5) else ())


@maker(2)
def gemm(dice: RandomChoices) -> SingleOperator:
    m, k, n = dice.roll(1, 20), dice.roll(1, 40), dice.roll(1, 40)
    across, down = dice.roll(0, 1), dice.roll(0, 1)
    a, b = dice.floats(*((k, m) if across else (m, k))), dice.floats(*((n, k) if down else (k, n)))
    c = [dice.floats(*dice.some((m, n), (n,), (1, n), (m, 1), (1,), ()))] if dice.odds(0.8) else []
    attributes = {"transA": across, "transB": down, "alpha": dice.some(1.0, 0.5), "beta": dice.some(1.0, 2.0)}
    return SingleOperator("Gemm", [a, b, *c], attributes, (1,) if dice.odds(0.5) else ())


@maker()
def einsum(dice: RandomChoices) -> SingleOperator:
    a, b, c, d = dice.ints(4, 1, 7)
    equation, *shapes = dice.some(
        ("ij,jk->ik", (a, b), (b, c)),
        ("bij,bjk->bik", (d, a, b), (d, b, c)),
        ("bqc,bchw->bqhw", (a, b, c), (a, c, 3, 5)),
        ("bhid,bhjd->bhij", (a, b, c, d), (a, b, 5, d)),
        ("nkctv,kvw->nctw", (a, b, c, d, 3), (b, 3, 4)),
        ("ij->ji", (a, b)),
        ("ij,ij->i", (a, b), (a, b)),
        ("bi,bi->", (a, b), (a, b)),
    )
    return SingleOperator("Einsum", [dice.floats(*shape) for shape in shapes], {"equation": equation})


@maker(2)
def where(dice: RandomChoices) -> SingleOperator:
    shape, dtype = dice.shape(1, 6, 7), dice.some(np.float32, np.float32, np.int32, np.int64)
    chosen, a, b = dice.spread(shape), dice.spread(shape), dice.spread(shape)
    return SingleOperator(
        "Where",
        [dice.values(chosen, np.bool_), dice.values(a, dtype), dice.values(b, dtype)],
        {},
        (2,) if dice.odds(0.4) else (),
    )


@maker()
def cumulative(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape()
    axis = np.array(dice.roll(-len(shape), len(shape) - 1), np.int32)
    return SingleOperator(
        "CumSum", [dice.floats(*shape), axis], {"exclusive": dice.roll(0, 1), "reverse": dice.roll(0, 1)}, (1,)
    )


@maker()
def top(dice: RandomChoices) -> SingleOperator:
    shape = dice.shape()
    axis = dice.roll(-len(shape), len(shape) - 1)
    k = np.array([dice.roll(1, shape[axis])], np.int64)
    x = dice.some(dice.floats(*shape), dice.whole(shape, 0, 3, np.float32), dice.whole(shape, -9, 9, np.int32))
    return SingleOperator("TopK", [x, k], {"axis": axis, "largest": dice.roll(0, 1)}, (1,), outputs=2)


@maker()
def cast(dice: RandomChoices) -> SingleOperator:
    source: Any = dice.some(np.float32, np.int32, np.bool_, np.uint8, np.int64)
    kinds = (TensorProto.FLOAT, TensorProto.INT32, TensorProto.BOOL, TensorProto.UINT8, TensorProto.INT64)
    wanted = dice.some(*kinds)
    x = dice.values(dice.shape(), source)
    if source == np.float32 and wanted != TensorProto.UINT8:
        x *= np.float32(dice.some(1, 1000, 0.5))
    if source in (np.int32, np.int64) and dice.odds(0.3):
        x *= source(100)
    return SingleOperator("Cast", [x], {"to": wanted})
