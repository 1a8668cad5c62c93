"""Tensors without elements: a dimension of zero on each input that can have one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.draw import Draw, empty
from webbuild.probe.node import Probe, int64, node, single

_UNARY = [
    "Abs",
    "Cast",
    "Ceil",
    "Clip",
    "Cos",
    "Erf",
    "Exp",
    "Floor",
    "Gelu",
    "Identity",
    "LeakyRelu",
    "Log",
    "Neg",
    "Reciprocal",
    "Relu",
    "Sigmoid",
    "Sin",
    "Sqrt",
    "Tanh",
]
_REDUCTIONS = [
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
]


def cases(draw: Draw) -> Iterator[Probe]:
    """Yield the probes."""
    none = np.zeros(0, np.int64)
    for op in _UNARY:
        attributes: dict[str, Any] = {"to": 6} if op == "Cast" else {}
        yield node(f"zero/{op}", op, empty(0, 3), opset=20, **attributes)
    for op in ("Add", "Div", "Max", "Mul", "Pow", "Sub"):
        yield node(f"zero/{op} a row", op, empty(0, 3), draw.floats(3))
        yield node(f"zero/{op} a scalar", op, empty(0, 3), single(2))
    yield node("zero/Equal", "Equal", empty(0, 3), draw.floats(3))
    yield node("zero/Greater", "Greater", empty(0, 3), draw.floats(3))
    yield node("zero/Not", "Not", np.zeros((0, 3), bool))
    yield node("zero/Where", "Where", np.zeros((0, 3), bool), empty(0, 3), empty(0, 3))
    for op in _REDUCTIONS:
        yield node(f"zero/{op} over the other axis", op, empty(0, 3), int64(1), opset=18)
        yield node(f"zero/{op} over it", op, empty(0, 3), int64(0), opset=18)
    for op in ("ArgMax", "ArgMin"):
        yield node(f"zero/{op} over the other axis", op, empty(0, 3), axis=1)
    yield from _moving(draw, none)
    yield from _computing(draw)


def _moving(draw: Draw, none: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Iterator[Probe]:
    yield node("zero/Pad from none", "Pad", empty(0, 4), int64(3, 0, 0, 0), single(0))
    yield node("zero/Pad from none, pads fed", "Pad", empty(0, 57), np.array([0, 0, 300, 0]))
    yield node("zero/Pad to none", "Pad", draw.floats(2, 4), int64(-2, 0, 0, 0))
    yield node("zero/Concat first", "Concat", empty(0, 3), draw.floats(2, 3), axis=0)
    yield node("zero/Concat last", "Concat", draw.floats(2, 3), empty(0, 3), axis=0)
    yield node("zero/Concat both", "Concat", empty(0, 3), empty(0, 3), axis=0)
    yield node("zero/Slice to none", "Slice", draw.floats(4, 3), int64(2), int64(2), int64(0))
    yield node("zero/Slice of none", "Slice", empty(0, 3), int64(0), int64(2), int64(1))
    yield node("zero/Gather indices", "Gather", draw.floats(4, 3), none, axis=0)
    yield node("zero/Gather both", "Gather", empty(0, 3), none, axis=0)
    yield node("zero/GatherElements indices", "GatherElements", draw.floats(4, 3), none.reshape(0, 3), axis=0)
    yield node("zero/GatherND indices", "GatherND", draw.floats(4, 3), none.reshape(0, 1))
    yield node("zero/ScatterND updates", "ScatterND", draw.floats(4, 3), none.reshape(0, 1), empty(0, 3))
    yield node("zero/ScatterND all", "ScatterND", empty(0, 3), none.reshape(0, 1), empty(0, 3))
    yield node("zero/ScatterElements updates", "ScatterElements", draw.floats(4, 3), none.reshape(0, 3), empty(0, 3))
    yield node("zero/ScatterElements all", "ScatterElements", empty(0, 3), none.reshape(0, 3), empty(0, 3))
    yield node("zero/Expand to none", "Expand", draw.floats(1, 3), int64(0, 3))
    yield node("zero/Expand of none", "Expand", empty(0, 1), int64(0, 3))
    yield node("zero/Tile to none", "Tile", draw.floats(2, 3), int64(0, 1))
    yield node("zero/Tile of none", "Tile", empty(0, 3), int64(2, 1))
    yield node("zero/Reshape", "Reshape", empty(0, 4), int64(0, 2, 2), allowzero=1)
    yield node("zero/Transpose", "Transpose", empty(0, 4), perm=[1, 0])
    yield node("zero/Split a part", "Split", draw.floats(4, 3), int64(0, 4), outputs=2, axis=0)
    yield node("zero/Split of none", "Split", empty(0, 4), int64(2, 2), outputs=2, axis=1)
    yield node("zero/Unsqueeze", "Unsqueeze", empty(0, 3), int64(0))
    yield node("zero/Squeeze", "Squeeze", empty(0, 1), int64(1))
    yield node("zero/Flatten", "Flatten", empty(0, 3, 2), axis=1)
    yield node("zero/Trilu", "Trilu", empty(0, 3, 3))
    yield node("zero/NonZero of false", "NonZero", np.zeros(3, bool))
    yield node("zero/Range", "Range", *(np.array(value, np.float32) for value in (0, 0, 1)))


def _computing(draw: Draw) -> Iterator[Probe]:
    yield node("zero/MatMul rows", "MatMul", empty(0, 3), draw.floats(3, 4))
    yield node("zero/MatMul inner", "MatMul", empty(2, 0), empty(0, 4))
    yield node("zero/MatMul batch", "MatMul", empty(0, 2, 3), empty(0, 3, 4))
    yield node("zero/Gemm rows", "Gemm", empty(0, 3), draw.floats(3, 4), draw.floats(4))
    yield node("zero/Gemm inner", "Gemm", empty(2, 0), empty(0, 4), draw.floats(4))
    yield node("zero/Einsum", "Einsum", empty(0, 3), draw.floats(3, 4), equation="ij,jk->ik")
    yield node("zero/Softmax", "Softmax", empty(0, 3), axis=-1)
    yield node("zero/LogSoftmax", "LogSoftmax", empty(0, 3), axis=-1)
    yield node("zero/TopK none asked", "TopK", draw.floats(2, 5), np.array([0]), outputs=2)
    yield node("zero/TopK rows", "TopK", empty(0, 5), np.array([2]), outputs=2)
    yield node("zero/CumSum", "CumSum", empty(0, 3), single(0, np.int32))
    yield node("zero/LayerNormalization", "LayerNormalization", empty(0, 8), draw.floats(8), draw.floats(8))
    yield node("zero/InstanceNormalization", "InstanceNormalization", empty(0, 3, 4, 4), draw.floats(3), draw.floats(3))
    moments = draw.floats(3), draw.floats(3), draw.floats(3), draw.positive(3)
    yield node("zero/BatchNormalization", "BatchNormalization", empty(0, 3, 4, 4), *moments)
    yield node("zero/Conv batch", "Conv", empty(0, 3, 8, 8), draw.floats(4, 3, 3, 3))
    yield node("zero/ConvTranspose batch", "ConvTranspose", empty(0, 3, 8, 8), draw.floats(3, 4, 3, 3))
    for op in ("MaxPool", "AveragePool"):
        yield node(f"zero/{op} batch", op, empty(0, 3, 8, 8), kernel_shape=[2, 2])
    yield node("zero/GlobalAveragePool batch", "GlobalAveragePool", empty(0, 3, 8, 8))
    yield node("zero/GridSample points", "GridSample", draw.floats(1, 2, 4, 4), empty(1, 0, 3, 2))
    scales = np.array([1, 1, 2, 2], np.float32)
    for mode in ("nearest", "linear"):
        yield node(f"zero/Resize {mode} batch", "Resize", empty(0, 3, 4, 4), None, scales, mode=mode)
