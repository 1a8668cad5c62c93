"""Tensors without elements: a dimension of zero on each input that can have one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64_initializer, make_probe, scalar_initializer
from webbuild.probe.random_data import RandomData, empty_tensor

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


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    none = np.zeros(0, np.int64)
    for op in _UNARY:
        attributes: dict[str, Any] = {"to": 6} if op == "Cast" else {}
        yield make_probe(f"zero/{op}", op, empty_tensor(0, 3), opset=20, **attributes)
    for op in ("Add", "Div", "Max", "Mul", "Pow", "Sub"):
        yield make_probe(f"zero/{op} a row", op, empty_tensor(0, 3), draw.floats(3))
        yield make_probe(f"zero/{op} a scalar", op, empty_tensor(0, 3), scalar_initializer(2))
    yield make_probe("zero/Equal", "Equal", empty_tensor(0, 3), draw.floats(3))
    yield make_probe("zero/Greater", "Greater", empty_tensor(0, 3), draw.floats(3))
    yield make_probe("zero/Not", "Not", np.zeros((0, 3), bool))
    yield make_probe("zero/Where", "Where", np.zeros((0, 3), bool), empty_tensor(0, 3), empty_tensor(0, 3))
    for op in _REDUCTIONS:
        yield make_probe(f"zero/{op} over the other axis", op, empty_tensor(0, 3), int64_initializer(1), opset=18)
        yield make_probe(f"zero/{op} over it", op, empty_tensor(0, 3), int64_initializer(0), opset=18)
    for op in ("ArgMax", "ArgMin"):
        yield make_probe(f"zero/{op} over the other axis", op, empty_tensor(0, 3), axis=1)
    yield from _moving(draw, none)
    yield from _computing(draw)


def _moving(draw: RandomData, none: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Iterator[Probe]:
    yield make_probe(
        "zero/Pad from none", "Pad", empty_tensor(0, 4), int64_initializer(3, 0, 0, 0), scalar_initializer(0)
    )
    yield make_probe("zero/Pad from none, pads fed", "Pad", empty_tensor(0, 57), np.array([0, 0, 300, 0]))
    yield make_probe("zero/Pad to none", "Pad", draw.floats(2, 4), int64_initializer(-2, 0, 0, 0))
    yield make_probe("zero/Concat first", "Concat", empty_tensor(0, 3), draw.floats(2, 3), axis=0)
    yield make_probe("zero/Concat last", "Concat", draw.floats(2, 3), empty_tensor(0, 3), axis=0)
    yield make_probe("zero/Concat both", "Concat", empty_tensor(0, 3), empty_tensor(0, 3), axis=0)
    yield make_probe(
        "zero/Slice to none",
        "Slice",
        draw.floats(4, 3),
        int64_initializer(2),
        int64_initializer(2),
        int64_initializer(0),
    )
    yield make_probe(
        "zero/Slice of none",
        "Slice",
        empty_tensor(0, 3),
        int64_initializer(0),
        int64_initializer(2),
        int64_initializer(1),
    )
    yield make_probe("zero/Gather indices", "Gather", draw.floats(4, 3), none, axis=0)
    yield make_probe("zero/Gather both", "Gather", empty_tensor(0, 3), none, axis=0)
    yield make_probe("zero/GatherElements indices", "GatherElements", draw.floats(4, 3), none.reshape(0, 3), axis=0)
    yield make_probe("zero/GatherND indices", "GatherND", draw.floats(4, 3), none.reshape(0, 1))
    yield make_probe("zero/ScatterND updates", "ScatterND", draw.floats(4, 3), none.reshape(0, 1), empty_tensor(0, 3))
    yield make_probe("zero/ScatterND all", "ScatterND", empty_tensor(0, 3), none.reshape(0, 1), empty_tensor(0, 3))
    yield make_probe(
        "zero/ScatterElements updates", "ScatterElements", draw.floats(4, 3), none.reshape(0, 3), empty_tensor(0, 3)
    )
    yield make_probe(
        "zero/ScatterElements all", "ScatterElements", empty_tensor(0, 3), none.reshape(0, 3), empty_tensor(0, 3)
    )
    yield make_probe("zero/Expand to none", "Expand", draw.floats(1, 3), int64_initializer(0, 3))
    yield make_probe("zero/Expand of none", "Expand", empty_tensor(0, 1), int64_initializer(0, 3))
    yield make_probe("zero/Tile to none", "Tile", draw.floats(2, 3), int64_initializer(0, 1))
    yield make_probe("zero/Tile of none", "Tile", empty_tensor(0, 3), int64_initializer(2, 1))
    yield make_probe("zero/Reshape", "Reshape", empty_tensor(0, 4), int64_initializer(0, 2, 2), allowzero=1)
    yield make_probe("zero/Transpose", "Transpose", empty_tensor(0, 4), perm=[1, 0])
    yield make_probe("zero/Split a part", "Split", draw.floats(4, 3), int64_initializer(0, 4), outputs=2, axis=0)
    yield make_probe("zero/Split of none", "Split", empty_tensor(0, 4), int64_initializer(2, 2), outputs=2, axis=1)
    yield make_probe("zero/Unsqueeze", "Unsqueeze", empty_tensor(0, 3), int64_initializer(0))
    yield make_probe("zero/Squeeze", "Squeeze", empty_tensor(0, 1), int64_initializer(1))
    yield make_probe("zero/Flatten", "Flatten", empty_tensor(0, 3, 2), axis=1)
    yield make_probe("zero/Trilu", "Trilu", empty_tensor(0, 3, 3))
    yield make_probe("zero/NonZero of false", "NonZero", np.zeros(3, bool))
    yield make_probe("zero/Range", "Range", *(np.array(value, np.float32) for value in (0, 0, 1)))


def _computing(draw: RandomData) -> Iterator[Probe]:
    yield make_probe("zero/MatMul rows", "MatMul", empty_tensor(0, 3), draw.floats(3, 4))
    yield make_probe("zero/MatMul inner", "MatMul", empty_tensor(2, 0), empty_tensor(0, 4))
    yield make_probe("zero/MatMul batch", "MatMul", empty_tensor(0, 2, 3), empty_tensor(0, 3, 4))
    yield make_probe("zero/Gemm rows", "Gemm", empty_tensor(0, 3), draw.floats(3, 4), draw.floats(4))
    yield make_probe("zero/Gemm inner", "Gemm", empty_tensor(2, 0), empty_tensor(0, 4), draw.floats(4))
    yield make_probe("zero/Einsum", "Einsum", empty_tensor(0, 3), draw.floats(3, 4), equation="ij,jk->ik")
    yield make_probe("zero/Softmax", "Softmax", empty_tensor(0, 3), axis=-1)
    yield make_probe("zero/LogSoftmax", "LogSoftmax", empty_tensor(0, 3), axis=-1)
    yield make_probe("zero/TopK none asked", "TopK", draw.floats(2, 5), np.array([0]), outputs=2)
    yield make_probe("zero/TopK rows", "TopK", empty_tensor(0, 5), np.array([2]), outputs=2)
    yield make_probe("zero/CumSum", "CumSum", empty_tensor(0, 3), scalar_initializer(0, np.int32))
    yield make_probe(
        "zero/LayerNormalization", "LayerNormalization", empty_tensor(0, 8), draw.floats(8), draw.floats(8)
    )
    yield make_probe(
        "zero/InstanceNormalization", "InstanceNormalization", empty_tensor(0, 3, 4, 4), draw.floats(3), draw.floats(3)
    )
    moments = draw.floats(3), draw.floats(3), draw.floats(3), draw.positive(3)
    yield make_probe("zero/BatchNormalization", "BatchNormalization", empty_tensor(0, 3, 4, 4), *moments)
    yield make_probe("zero/Conv batch", "Conv", empty_tensor(0, 3, 8, 8), draw.floats(4, 3, 3, 3))
    yield make_probe("zero/ConvTranspose batch", "ConvTranspose", empty_tensor(0, 3, 8, 8), draw.floats(3, 4, 3, 3))
    for op in ("MaxPool", "AveragePool"):
        yield make_probe(f"zero/{op} batch", op, empty_tensor(0, 3, 8, 8), kernel_shape=[2, 2])
    yield make_probe("zero/GlobalAveragePool batch", "GlobalAveragePool", empty_tensor(0, 3, 8, 8))
    yield make_probe("zero/GridSample points", "GridSample", draw.floats(1, 2, 4, 4), empty_tensor(1, 0, 3, 2))
    scales = np.array([1, 1, 2, 2], np.float32)
    for mode in ("nearest", "linear"):
        yield make_probe(f"zero/Resize {mode} batch", "Resize", empty_tensor(0, 3, 4, 4), None, scales, mode=mode)
