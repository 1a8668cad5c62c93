"""Ranks from 0 to 7."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.probe_model import Probe, int64s, make_probe
from webbuild.probe.random_data import RandomData


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    yield from _scalars(draw)
    for rank in range(1, 8):
        shape = [2] * (rank - 1) + [3]
        x = draw.floats(*shape)
        yield make_probe(f"Relu {rank}", x)
        yield make_probe(f"Transpose {rank}", x, perm=list(range(rank))[::-1])
        yield make_probe(f"Add {rank}", x, draw.floats(*[1, *shape[1:-1], 1][:rank]))
        yield make_probe(f"Concat {rank}", x, x, axis=-1)
        yield make_probe(f"Slice {rank}", x, int64s(0), int64s(2), int64s(rank - 1))
        yield make_probe(f"Expand {rank}", draw.floats(1, *shape[1:]), int64s(*shape))
        yield make_probe(f"Gather {rank}", x, np.array([1, 0]), axis=rank - 1)
        yield make_probe(f"ReduceSum {rank}", x, int64s(rank - 1))
        yield make_probe(f"Tile {rank}", x, int64s(*[1] * (rank - 1), 2))
        yield make_probe(f"Where {rank}", draw.bools(*shape), x, draw.floats(1))
        yield make_probe(f"Pad {rank}", x, int64s(*[1] * (2 * rank)))
        yield make_probe(f"Softmax {rank}", x, axis=rank // 2)
        yield make_probe(f"LayerNormalization {rank}", x, draw.floats(3))
        yield make_probe(f"CumSum {rank}", x, np.array(rank - 1))
        yield make_probe(f"ArgMax {rank}", x, axis=-1)
        yield make_probe(f"GatherElements {rank}", x, draw.ints(*shape, high=2, dtype=np.int64))
        yield make_probe(f"Split {rank}", x, int64s(1, 2), outputs=2, axis=-1)
        yield make_probe(f"TopK {rank}", x, int64s(2), outputs=2)
        yield from _more(draw, rank, shape)
        if rank > 1:
            yield make_probe(f"MatMul {rank}", x, draw.floats(*[1] * (rank - 2), 3, 4))


def _scalars(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats()
    yield make_probe("Relu 0", x)
    yield make_probe("Add 0", x, draw.floats())
    yield make_probe("Add 0 to 2", x, draw.floats(2, 3))
    yield make_probe("Mul 0 to 2, last", draw.floats(2, 3), x)
    yield make_probe("Reshape 0", x, int64s(1))
    yield make_probe("Reshape to 0", draw.floats(1), int64s())
    yield make_probe("Unsqueeze 0", x, int64s(0))
    yield make_probe("Squeeze to 0", draw.floats(1), int64s(0))
    yield make_probe("Expand 0", x, int64s(2, 3))
    yield make_probe("Gather scalar index", draw.floats(4, 3), np.array(2), axis=0)
    yield make_probe("Gather to 0", draw.floats(4), np.array(2), axis=0)
    yield make_probe("Where 0", np.array(True), x, draw.floats())
    yield make_probe("Where scalar condition, odd row", np.array(True), draw.floats(3, 7), draw.floats(3, 7))
    yield make_probe("Cast 0", x, to=6)
    yield make_probe("Transpose 0", x)
    yield make_probe("Identity 0", x)
    yield make_probe("Clip 0", x, np.array(0, np.float32), np.array(1, np.float32))


def _more(draw: RandomData, rank: int, shape: list[int]) -> Iterator[Probe]:
    x, ones = draw.floats(*shape), [1] * rank
    yield make_probe(f"Max {rank}", x, draw.floats(3))
    yield make_probe(f"Equal {rank}", x, draw.floats(3))
    yield make_probe(f"Reshape {rank}", x, int64s(*shape[::-1]))
    yield make_probe(f"Squeeze {rank}", draw.floats(*ones), int64s(0))
    yield make_probe(f"Unsqueeze {rank}", x, int64s(-1))
    yield make_probe(f"Flatten {rank}", x, axis=rank // 2)
    yield make_probe(f"PRelu {rank}", x, draw.floats(3))
    yield make_probe(f"ReduceMean all {rank}", x, keepdims=0)
    yield make_probe(f"LogSoftmax {rank}", x)
    yield make_probe(f"LpNormalization {rank}", x)
    places = np.zeros((1, rank), np.int64)
    yield make_probe(f"GatherND {rank}", x, places)
    yield make_probe(f"ScatterND {rank}", x, places, draw.floats(1))
    updates = draw.floats(*shape)
    yield make_probe(f"ScatterElements {rank}", x, np.broadcast_to(np.arange(3), shape).copy(), updates, axis=-1)
    if rank > 1:
        yield make_probe(f"Trilu {rank}", x)
        yield make_probe(f"MatMul both {rank}", draw.floats(*shape[:-2], 2, 3), draw.floats(*shape[:-2], 3, 2))
        moments = draw.floats(2), draw.floats(2), draw.floats(2), draw.positive(2)
        channels = draw.floats(*[2, 2, 3, 2, 2, 2, 2][:rank])
        yield make_probe(f"BatchNormalization {rank}", channels, *moments)
    if rank > 2:
        yield make_probe(f"InstanceNormalization {rank}", channels, *moments[:2])
    if 2 < rank < 6:  # native ONNX Runtime supports no others
        yield make_probe(f"GlobalAveragePool {rank}", channels)
        yield make_probe(f"GlobalMaxPool {rank}", channels)
