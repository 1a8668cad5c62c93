"""Tensors of rank 0, on each input that may be one, and as a result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64_initializer, make_probe, scalar_initializer
from webbuild.probe.random_data import RandomData

_UNARY = """
Abs Atan Ceil Cos Elu Erf Exp Floor Gelu HardSigmoid HardSwish IsInf IsNaN LeakyRelu Log Mish Neg Reciprocal Round Selu
Sigmoid Sign Sin Softplus Softsign Sqrt Tanh ThresholdedRelu
"""
_BINARY = ("Div", "Max", "Mean", "Min", "Mod", "Pow", "PRelu", "Sub", "Sum")
_REDUCTIONS = ("ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceSum")


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    x = draw.positive()
    for op in _UNARY.split():
        yield make_probe(f"scalar/{op}", op, x, opset=20)
    for op in _BINARY:
        fmod: dict[str, Any] = {"fmod": 1} if op == "Mod" else {}
        yield make_probe(f"scalar/{op}", op, x, draw.positive(), **fmod)
        yield make_probe(f"scalar/{op} and a tensor", op, draw.positive(3, 5), x, **fmod)
        if op != "PRelu":
            yield make_probe(f"scalar/{op} before a tensor", op, x, draw.positive(3, 5), **fmod)
    for op in ("Equal", "Greater", "LessOrEqual"):
        yield make_probe(f"scalar/{op}", op, x, draw.positive())
        yield make_probe(f"scalar/{op} and a tensor", op, draw.positive(3, 5), x)
    for op in ("And", "Or", "Xor"):
        yield make_probe(f"scalar/{op}", op, np.array(True), draw.bools(3, 5))
    yield make_probe("scalar/Not", "Not", np.array(True))
    for op in _REDUCTIONS:
        yield make_probe(f"scalar/{op} to", op, draw.positive(7), int64_initializer(0), opset=18, keepdims=0)
        yield make_probe(f"scalar/{op} to, all", op, draw.positive(2, 3), opset=18, keepdims=0)
    yield from _moving(draw)


def _moving(draw: RandomData) -> Iterator[Probe]:
    x = draw.positive()
    yield make_probe("scalar/Expand to", "Expand", x, int64_initializer())
    yield make_probe("scalar/Expand fed", "Expand", x, np.array([3, 4]))
    yield make_probe("scalar/Reshape to", "Reshape", draw.floats(1, 1), int64_initializer())
    yield make_probe("scalar/Reshape", "Reshape", x, int64_initializer(1, 1, 1))
    yield make_probe("scalar/Squeeze all to", "Squeeze", draw.floats(1, 1))
    yield make_probe("scalar/Unsqueeze two", "Unsqueeze", x, int64_initializer(0, 1))
    yield make_probe("scalar/Flatten", "Flatten", x, axis=0)
    yield make_probe("scalar/Size", "Size", x)
    yield make_probe("scalar/Tile", "Tile", x, int64_initializer())
    for kind in (np.int32, np.int64, np.bool_):
        name = np.dtype(kind).name
        yield make_probe(f"scalar/Gather {name} to", "Gather", draw.ints(5, high=2, dtype=kind), np.array(3))
        yield make_probe(f"scalar/Where {name}", "Where", np.array(False), np.array(1, kind), np.array(0, kind))
    yield make_probe("scalar/GatherND to", "GatherND", draw.floats(4), np.array([2]))
    yield make_probe("scalar/ScatterND of", "ScatterND", draw.floats(4), np.array([2]), x)
    yield make_probe("scalar/Where choices", "Where", draw.bools(3, 5), x, draw.positive())
    yield make_probe("scalar/MatMul to", "MatMul", draw.floats(5), draw.floats(5))
    yield make_probe("scalar/Einsum to", "Einsum", draw.floats(3, 4), equation="ij->")
    yield make_probe("scalar/Einsum of", "Einsum", x, draw.floats(3), equation=",i->i")
    yield make_probe(
        "scalar/QuantizeLinear", "QuantizeLinear", x, scalar_initializer(0.1), scalar_initializer(3, np.uint8)
    )
    yield make_probe(
        "scalar/DequantizeLinear",
        "DequantizeLinear",
        np.array(7, np.uint8),
        scalar_initializer(0.1),
        scalar_initializer(3, np.uint8),
    )
    yield make_probe(
        "scalar/Clip bounds of rank 1", "Clip", draw.floats(7), np.zeros((), np.float32), scalar_initializer(1)
    )
    yield make_probe("scalar/CumSum axis of rank 1", "CumSum", draw.floats(3, 5), int64_initializer(1))
    yield make_probe("scalar/ArgMax to", "ArgMax", draw.floats(5), axis=0, keepdims=0)
    yield make_probe("scalar/Concat of one element each", "Concat", draw.floats(1), draw.floats(1), axis=0)
    yield make_probe("scalar/Dropout", "Dropout", x)
