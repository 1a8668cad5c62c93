"""Tensors of rank 0, as each input that may be a scalar, and as an output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64s, make_probe, scalar
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
        yield make_probe(op, x, opset=20)
    for op in _BINARY:
        fmod: dict[str, Any] = {"fmod": 1} if op == "Mod" else {}
        yield make_probe(op, x, draw.positive(), **fmod)
        yield make_probe(f"{op} and a tensor", draw.positive(3, 5), x, **fmod)
        if op != "PRelu":
            yield make_probe(f"{op} before a tensor", x, draw.positive(3, 5), **fmod)
    for op in ("Equal", "Greater", "LessOrEqual"):
        yield make_probe(op, x, draw.positive())
        yield make_probe(f"{op} and a tensor", draw.positive(3, 5), x)
    for op in ("And", "Or", "Xor"):
        yield make_probe(op, np.array(True), draw.bools(3, 5))
    yield make_probe("Not", np.array(True))
    for op in _REDUCTIONS:
        yield make_probe(f"{op} to", draw.positive(7), int64s(0), opset=18, keepdims=0)
        yield make_probe(f"{op} to, all", draw.positive(2, 3), opset=18, keepdims=0)
    yield from _moving(draw)


def _moving(draw: RandomData) -> Iterator[Probe]:
    x = draw.positive()
    yield make_probe("Expand to", x, int64s())
    yield make_probe("Expand fed", x, np.array([3, 4]))
    yield make_probe("Reshape to", draw.floats(1, 1), int64s())
    yield make_probe("Reshape", x, int64s(1, 1, 1))
    yield make_probe("Squeeze all to", draw.floats(1, 1))
    yield make_probe("Unsqueeze two", x, int64s(0, 1))
    yield make_probe("Flatten", x, axis=0)
    yield make_probe("Size", x)
    yield make_probe("Tile", x, int64s())
    for kind in (np.int32, np.int64, np.bool_):
        name = np.dtype(kind).name
        yield make_probe(f"Gather {name} to", draw.ints(5, high=2, dtype=kind), np.array(3))
        yield make_probe(f"Where {name}", np.array(False), np.array(1, kind), np.array(0, kind))
    yield make_probe("GatherND to", draw.floats(4), np.array([2]))
    yield make_probe("ScatterND of", draw.floats(4), np.array([2]), x)
    yield make_probe("Where choices", draw.bools(3, 5), x, draw.positive())
    yield make_probe("MatMul to", draw.floats(5), draw.floats(5))
    yield make_probe("Einsum to", draw.floats(3, 4), equation="ij->")
    yield make_probe("Einsum of", x, draw.floats(3), equation=",i->i")
    yield make_probe("QuantizeLinear", x, scalar(0.1), scalar(3, np.uint8))
    yield make_probe("DequantizeLinear", np.array(7, np.uint8), scalar(0.1), scalar(3, np.uint8))
    yield make_probe("Clip bounds of rank 1", draw.floats(7), np.zeros((), np.float32), scalar(1))
    yield make_probe("CumSum axis of rank 1", draw.floats(3, 5), int64s(1))
    yield make_probe("ArgMax to", draw.floats(5), axis=0, keepdims=0)
    yield make_probe("Concat of one element each", draw.floats(1), draw.floats(1), axis=0)
    yield make_probe("Dropout", x)
