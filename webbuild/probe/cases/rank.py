"""Ranks from none to seven."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.probe_model import Probe, int64_initializer, make_probe
from webbuild.probe.random_data import RandomData


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    yield from _scalars(draw)
    for rank in range(1, 8):
        shape = [2] * (rank - 1) + [3]
        x = draw.floats(*shape)
        yield make_probe(f"rank/Relu {rank}", "Relu", x)
        yield make_probe(f"rank/Transpose {rank}", "Transpose", x, perm=list(range(rank))[::-1])
        yield make_probe(f"rank/Add {rank}", "Add", x, draw.floats(*[1, *shape[1:-1], 1][:rank]))
        yield make_probe(f"rank/Concat {rank}", "Concat", x, x, axis=-1)
        yield make_probe(
            f"rank/Slice {rank}", "Slice", x, int64_initializer(0), int64_initializer(2), int64_initializer(rank - 1)
        )
        yield make_probe(f"rank/Expand {rank}", "Expand", draw.floats(1, *shape[1:]), int64_initializer(*shape))
        yield make_probe(f"rank/Gather {rank}", "Gather", x, np.array([1, 0]), axis=rank - 1)
        yield make_probe(f"rank/ReduceSum {rank}", "ReduceSum", x, int64_initializer(rank - 1))
        yield make_probe(f"rank/Tile {rank}", "Tile", x, int64_initializer(*[1] * (rank - 1), 2))
        yield make_probe(f"rank/Where {rank}", "Where", draw.bools(*shape), x, draw.floats(1))
        yield make_probe(f"rank/Pad {rank}", "Pad", x, int64_initializer(*[1] * (2 * rank)))
        yield make_probe(f"rank/Softmax {rank}", "Softmax", x, axis=rank // 2)
        yield make_probe(f"rank/LayerNormalization {rank}", "LayerNormalization", x, draw.floats(3))
        yield make_probe(f"rank/CumSum {rank}", "CumSum", x, np.array(rank - 1))
        yield make_probe(f"rank/ArgMax {rank}", "ArgMax", x, axis=-1)
        yield make_probe(f"rank/GatherElements {rank}", "GatherElements", x, draw.ints(*shape, high=2, dtype=np.int64))
        yield make_probe(f"rank/Split {rank}", "Split", x, int64_initializer(1, 2), outputs=2, axis=-1)
        yield make_probe(f"rank/TopK {rank}", "TopK", x, int64_initializer(2), outputs=2)
        yield from _more(draw, rank, shape)
        if rank > 1:
            yield make_probe(f"rank/MatMul {rank}", "MatMul", x, draw.floats(*[1] * (rank - 2), 3, 4))


def _scalars(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats()
    yield make_probe("rank/Relu 0", "Relu", x)
    yield make_probe("rank/Add 0", "Add", x, draw.floats())
    yield make_probe("rank/Add 0 to 2", "Add", x, draw.floats(2, 3))
    yield make_probe("rank/Mul 0 to 2, last", "Mul", draw.floats(2, 3), x)
    yield make_probe("rank/Reshape 0", "Reshape", x, int64_initializer(1))
    yield make_probe("rank/Reshape to 0", "Reshape", draw.floats(1), int64_initializer())
    yield make_probe("rank/Unsqueeze 0", "Unsqueeze", x, int64_initializer(0))
    yield make_probe("rank/Squeeze to 0", "Squeeze", draw.floats(1), int64_initializer(0))
    yield make_probe("rank/Expand 0", "Expand", x, int64_initializer(2, 3))
    yield make_probe("rank/Gather scalar index", "Gather", draw.floats(4, 3), np.array(2), axis=0)
    yield make_probe("rank/Gather to 0", "Gather", draw.floats(4), np.array(2), axis=0)
    yield make_probe("rank/Where 0", "Where", np.array(True), x, draw.floats())
    yield make_probe(
        "rank/Where scalar condition, odd row", "Where", np.array(True), draw.floats(3, 7), draw.floats(3, 7)
    )
    yield make_probe("rank/Cast 0", "Cast", x, to=6)
    yield make_probe("rank/Transpose 0", "Transpose", x)
    yield make_probe("rank/Identity 0", "Identity", x)
    yield make_probe("rank/Clip 0", "Clip", x, np.array(0, np.float32), np.array(1, np.float32))


def _more(draw: RandomData, rank: int, shape: list[int]) -> Iterator[Probe]:
    x, ones = draw.floats(*shape), [1] * rank
    yield make_probe(f"rank/Max {rank}", "Max", x, draw.floats(3))
    yield make_probe(f"rank/Equal {rank}", "Equal", x, draw.floats(3))
    yield make_probe(f"rank/Reshape {rank}", "Reshape", x, int64_initializer(*shape[::-1]))
    yield make_probe(f"rank/Squeeze {rank}", "Squeeze", draw.floats(*ones), int64_initializer(0))
    yield make_probe(f"rank/Unsqueeze {rank}", "Unsqueeze", x, int64_initializer(-1))
    yield make_probe(f"rank/Flatten {rank}", "Flatten", x, axis=rank // 2)
    yield make_probe(f"rank/PRelu {rank}", "PRelu", x, draw.floats(3))
    yield make_probe(f"rank/ReduceMean all {rank}", "ReduceMean", x, keepdims=0)
    yield make_probe(f"rank/LogSoftmax {rank}", "LogSoftmax", x)
    yield make_probe(f"rank/LpNormalization {rank}", "LpNormalization", x)
    places = np.zeros((1, rank), np.int64)
    yield make_probe(f"rank/GatherND {rank}", "GatherND", x, places)
    yield make_probe(f"rank/ScatterND {rank}", "ScatterND", x, places, draw.floats(1))
    updates = draw.floats(*shape)
    along = np.broadcast_to(np.arange(3), shape).copy()
    yield make_probe(f"rank/ScatterElements {rank}", "ScatterElements", x, along, updates, axis=-1)
    if rank > 1:
        yield make_probe(f"rank/Trilu {rank}", "Trilu", x)
        yield make_probe(
            f"rank/MatMul both {rank}", "MatMul", draw.floats(*shape[:-2], 2, 3), draw.floats(*shape[:-2], 3, 2)
        )
        moments = draw.floats(2), draw.floats(2), draw.floats(2), draw.positive(2)
        channels = draw.floats(*[2, 2, 3, 2, 2, 2, 2][:rank])
        yield make_probe(f"rank/BatchNormalization {rank}", "BatchNormalization", channels, *moments)
    if rank > 2:
        yield make_probe(f"rank/InstanceNormalization {rank}", "InstanceNormalization", channels, *moments[:2])
    if 2 < rank < 6:  # native ONNX Runtime pools no more
        yield make_probe(f"rank/GlobalAveragePool {rank}", "GlobalAveragePool", channels)
        yield make_probe(f"rank/GlobalMaxPool {rank}", "GlobalMaxPool", channels)
