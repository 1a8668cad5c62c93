"""Empty tensors: a dimension of 0 in each input that may have one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64s, make_probe, scalar
from webbuild.probe.random_data import RandomData, empty

_UNARY = """
Abs Cast Ceil Clip Cos Erf Exp Floor Gelu Identity LeakyRelu Log Neg Reciprocal Relu Sigmoid Sin Sqrt Tanh
"""
_REDUCTIONS = """
ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare
"""


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    none = np.zeros(0, np.int64)
    for op in _UNARY.split():
        attributes: dict[str, Any] = {"to": 6} if op == "Cast" else {}
        yield make_probe(op, empty(0, 3), opset=20, **attributes)
    for op in ("Add", "Div", "Max", "Mul", "Pow", "Sub"):
        yield make_probe(f"{op} a row", empty(0, 3), draw.floats(3))
        yield make_probe(f"{op} a scalar", empty(0, 3), scalar(2))
    yield make_probe("Equal", empty(0, 3), draw.floats(3))
    yield make_probe("Greater", empty(0, 3), draw.floats(3))
    yield make_probe("Not", np.zeros((0, 3), bool))
    yield make_probe("Where", np.zeros((0, 3), bool), empty(0, 3), empty(0, 3))
    for op in _REDUCTIONS.split():
        yield make_probe(f"{op} over the other axis", empty(0, 3), int64s(1), opset=18)
        yield make_probe(f"{op} over it", empty(0, 3), int64s(0), opset=18)
    for op in ("ArgMax", "ArgMin"):
        yield make_probe(f"{op} over the other axis", empty(0, 3), axis=1)
    yield from _moving(draw, none)
    yield from _computing(draw)


def _moving(draw: RandomData, none: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Iterator[Probe]:
    yield make_probe("Pad from none", empty(0, 4), int64s(3, 0, 0, 0), scalar(0))
    yield make_probe("Pad from none, pads fed", empty(0, 57), np.array([0, 0, 300, 0]))
    yield make_probe("Pad to none", draw.floats(2, 4), int64s(-2, 0, 0, 0))
    yield make_probe("Concat first", empty(0, 3), draw.floats(2, 3), axis=0)
    yield make_probe("Concat last", draw.floats(2, 3), empty(0, 3), axis=0)
    yield make_probe("Concat both", empty(0, 3), empty(0, 3), axis=0)
    yield make_probe("Slice to none", draw.floats(4, 3), int64s(2), int64s(2), int64s(0))
    yield make_probe("Slice of none", empty(0, 3), int64s(0), int64s(2), int64s(1))
    yield make_probe("Gather indices", draw.floats(4, 3), none, axis=0)
    yield make_probe("Gather both", empty(0, 3), none, axis=0)
    yield make_probe("GatherElements indices", draw.floats(4, 3), none.reshape(0, 3), axis=0)
    yield make_probe("GatherND indices", draw.floats(4, 3), none.reshape(0, 1))
    yield make_probe("ScatterND updates", draw.floats(4, 3), none.reshape(0, 1), empty(0, 3))
    yield make_probe("ScatterND all", empty(0, 3), none.reshape(0, 1), empty(0, 3))
    yield make_probe("ScatterElements updates", draw.floats(4, 3), none.reshape(0, 3), empty(0, 3))
    yield make_probe("ScatterElements all", empty(0, 3), none.reshape(0, 3), empty(0, 3))
    yield make_probe("Expand to none", draw.floats(1, 3), int64s(0, 3))
    yield make_probe("Expand of none", empty(0, 1), int64s(0, 3))
    yield make_probe("Tile to none", draw.floats(2, 3), int64s(0, 1))
    yield make_probe("Tile of none", empty(0, 3), int64s(2, 1))
    yield make_probe("Reshape", empty(0, 4), int64s(0, 2, 2), allowzero=1)
    yield make_probe("Transpose", empty(0, 4), perm=[1, 0])
    yield make_probe("Split a part", draw.floats(4, 3), int64s(0, 4), outputs=2, axis=0)
    yield make_probe("Split of none", empty(0, 4), int64s(2, 2), outputs=2, axis=1)
    yield make_probe("Unsqueeze", empty(0, 3), int64s(0))
    yield make_probe("Squeeze", empty(0, 1), int64s(1))
    yield make_probe("Flatten", empty(0, 3, 2), axis=1)
    yield make_probe("Trilu", empty(0, 3, 3))
    yield make_probe("NonZero of false", np.zeros(3, bool))
    yield make_probe("Range", *(np.array(value, np.float32) for value in (0, 0, 1)))


def _computing(draw: RandomData) -> Iterator[Probe]:
    yield make_probe("MatMul rows", empty(0, 3), draw.floats(3, 4))
    yield make_probe("MatMul inner", empty(2, 0), empty(0, 4))
    yield make_probe("MatMul batch", empty(0, 2, 3), empty(0, 3, 4))
    yield make_probe("Gemm rows", empty(0, 3), draw.floats(3, 4), draw.floats(4))
    yield make_probe("Gemm inner", empty(2, 0), empty(0, 4), draw.floats(4))
    yield make_probe("Einsum", empty(0, 3), draw.floats(3, 4), equation="ij,jk->ik")
    yield make_probe("Softmax", empty(0, 3), axis=-1)
    yield make_probe("LogSoftmax", empty(0, 3), axis=-1)
    yield make_probe("TopK none asked", draw.floats(2, 5), np.array([0]), outputs=2)
    yield make_probe("TopK rows", empty(0, 5), np.array([2]), outputs=2)
    yield make_probe("CumSum", empty(0, 3), scalar(0, np.int32))
    yield make_probe("LayerNormalization", empty(0, 8), draw.floats(8), draw.floats(8))
    yield make_probe("InstanceNormalization", empty(0, 3, 4, 4), draw.floats(3), draw.floats(3))
    moments = draw.floats(3), draw.floats(3), draw.floats(3), draw.positive(3)
    yield make_probe("BatchNormalization", empty(0, 3, 4, 4), *moments)
    yield make_probe("Conv batch", empty(0, 3, 8, 8), draw.floats(4, 3, 3, 3))
    yield make_probe("ConvTranspose batch", empty(0, 3, 8, 8), draw.floats(3, 4, 3, 3))
    for op in ("MaxPool", "AveragePool"):
        yield make_probe(f"{op} batch", empty(0, 3, 8, 8), kernel_shape=[2, 2])
    yield make_probe("GlobalAveragePool batch", empty(0, 3, 8, 8))
    yield make_probe("GridSample points", draw.floats(1, 2, 4, 4), empty(1, 0, 3, 2))
    scales = np.array([1, 1, 2, 2], np.float32)
    for mode in ("nearest", "linear"):
        yield make_probe(f"Resize {mode} batch", empty(0, 3, 4, 4), None, scales, mode=mode)
