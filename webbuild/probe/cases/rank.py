"""Ranks from none to seven."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.draw import Draw
from webbuild.probe.node import Probe, int64, node


def cases(draw: Draw) -> Iterator[Probe]:
    """Yield the probes."""
    yield from _scalars(draw)
    for rank in range(1, 8):
        shape = [2] * (rank - 1) + [3]
        x = draw.floats(*shape)
        yield node(f"rank/Relu {rank}", "Relu", x)
        yield node(f"rank/Transpose {rank}", "Transpose", x, perm=list(range(rank))[::-1])
        yield node(f"rank/Add {rank}", "Add", x, draw.floats(*[1, *shape[1:-1], 1][:rank]))
        yield node(f"rank/Concat {rank}", "Concat", x, x, axis=-1)
        yield node(f"rank/Slice {rank}", "Slice", x, int64(0), int64(2), int64(rank - 1))
        yield node(f"rank/Expand {rank}", "Expand", draw.floats(1, *shape[1:]), int64(*shape))
        yield node(f"rank/Gather {rank}", "Gather", x, np.array([1, 0]), axis=rank - 1)
        yield node(f"rank/ReduceSum {rank}", "ReduceSum", x, int64(rank - 1))
        yield node(f"rank/Tile {rank}", "Tile", x, int64(*[1] * (rank - 1), 2))
        yield node(f"rank/Where {rank}", "Where", draw.bools(*shape), x, draw.floats(1))
        yield node(f"rank/Pad {rank}", "Pad", x, int64(*[1] * (2 * rank)))
        yield node(f"rank/Softmax {rank}", "Softmax", x, axis=rank // 2)
        yield node(f"rank/LayerNormalization {rank}", "LayerNormalization", x, draw.floats(3))
        yield node(f"rank/CumSum {rank}", "CumSum", x, np.array(rank - 1))
        yield node(f"rank/ArgMax {rank}", "ArgMax", x, axis=-1)
        yield node(f"rank/GatherElements {rank}", "GatherElements", x, draw.ints(*shape, high=2, dtype=np.int64))
        yield node(f"rank/Split {rank}", "Split", x, int64(1, 2), outputs=2, axis=-1)
        yield node(f"rank/TopK {rank}", "TopK", x, int64(2), outputs=2)
        yield from _more(draw, rank, shape)
        if rank > 1:
            yield node(f"rank/MatMul {rank}", "MatMul", x, draw.floats(*[1] * (rank - 2), 3, 4))


def _scalars(draw: Draw) -> Iterator[Probe]:
    x = draw.floats()
    yield node("rank/Relu 0", "Relu", x)
    yield node("rank/Add 0", "Add", x, draw.floats())
    yield node("rank/Add 0 to 2", "Add", x, draw.floats(2, 3))
    yield node("rank/Mul 0 to 2, last", "Mul", draw.floats(2, 3), x)
    yield node("rank/Reshape 0", "Reshape", x, int64(1))
    yield node("rank/Reshape to 0", "Reshape", draw.floats(1), int64())
    yield node("rank/Unsqueeze 0", "Unsqueeze", x, int64(0))
    yield node("rank/Squeeze to 0", "Squeeze", draw.floats(1), int64(0))
    yield node("rank/Expand 0", "Expand", x, int64(2, 3))
    yield node("rank/Gather scalar index", "Gather", draw.floats(4, 3), np.array(2), axis=0)
    yield node("rank/Gather to 0", "Gather", draw.floats(4), np.array(2), axis=0)
    yield node("rank/Where 0", "Where", np.array(True), x, draw.floats())
    yield node("rank/Where scalar condition, odd row", "Where", np.array(True), draw.floats(3, 7), draw.floats(3, 7))
    yield node("rank/Cast 0", "Cast", x, to=6)
    yield node("rank/Transpose 0", "Transpose", x)
    yield node("rank/Identity 0", "Identity", x)
    yield node("rank/Clip 0", "Clip", x, np.array(0, np.float32), np.array(1, np.float32))


def _more(draw: Draw, rank: int, shape: list[int]) -> Iterator[Probe]:
    x, ones = draw.floats(*shape), [1] * rank
    yield node(f"rank/Max {rank}", "Max", x, draw.floats(3))
    yield node(f"rank/Equal {rank}", "Equal", x, draw.floats(3))
    yield node(f"rank/Reshape {rank}", "Reshape", x, int64(*shape[::-1]))
    yield node(f"rank/Squeeze {rank}", "Squeeze", draw.floats(*ones), int64(0))
    yield node(f"rank/Unsqueeze {rank}", "Unsqueeze", x, int64(-1))
    yield node(f"rank/Flatten {rank}", "Flatten", x, axis=rank // 2)
    yield node(f"rank/PRelu {rank}", "PRelu", x, draw.floats(3))
    yield node(f"rank/ReduceMean all {rank}", "ReduceMean", x, keepdims=0)
    yield node(f"rank/LogSoftmax {rank}", "LogSoftmax", x)
    yield node(f"rank/LpNormalization {rank}", "LpNormalization", x)
    places = np.zeros((1, rank), np.int64)
    yield node(f"rank/GatherND {rank}", "GatherND", x, places)
    yield node(f"rank/ScatterND {rank}", "ScatterND", x, places, draw.floats(1))
    updates = draw.floats(*shape)
    along = np.broadcast_to(np.arange(3), shape).copy()
    yield node(f"rank/ScatterElements {rank}", "ScatterElements", x, along, updates, axis=-1)
    if rank > 1:
        yield node(f"rank/Trilu {rank}", "Trilu", x)
        yield node(f"rank/MatMul both {rank}", "MatMul", draw.floats(*shape[:-2], 2, 3), draw.floats(*shape[:-2], 3, 2))
        moments = draw.floats(2), draw.floats(2), draw.floats(2), draw.positive(2)
        channels = draw.floats(*[2, 2, 3, 2, 2, 2, 2][:rank])
        yield node(f"rank/BatchNormalization {rank}", "BatchNormalization", channels, *moments)
    if rank > 2:
        yield node(f"rank/InstanceNormalization {rank}", "InstanceNormalization", channels, *moments[:2])
    if 2 < rank < 6:  # native ONNX Runtime pools no more
        yield node(f"rank/GlobalAveragePool {rank}", "GlobalAveragePool", channels)
        yield node(f"rank/GlobalMaxPool {rank}", "GlobalMaxPool", channels)
