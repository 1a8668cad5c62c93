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
