"""More work groups than one dispatch may have along an axis: 65,535."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.draw import Draw
from webbuild.probe.node import Probe, fixed, int64, node, single

ROWS = 70_000
ELEMENTS = 4_400_001
"""More than 65,535 groups of 64 threads, and an odd number, so that four do not go together."""


def cases(draw: Draw) -> Iterator[Probe]:
    """Yield the probes."""
    flat = np.tile(draw.floats(4001), ELEMENTS // 4001 + 1)[:ELEMENTS]
    yield node("large/Relu", "Relu", flat)
    yield node("large/Add scalar", "Add", flat, single(1))
    yield node("large/Not", "Not", flat > 0)
    yield node("large/Concat", "Concat", flat, flat[:1000], axis=0)
    yield node("large/Transpose", "Transpose", flat[: 2001 * 2000].reshape(2001, 2000))
    rows, odd = draw.floats(ROWS, 8), draw.floats(ROWS, 7)
    for what, x in (("rows", rows), ("odd rows", odd)):
        yield node(f"large/Softmax {what}", "Softmax", x, axis=-1)
        yield node(f"large/ReduceSum {what}", "ReduceSum", x, int64(1))
        yield node(f"large/ReduceMax {what}", "ReduceMax", x, axes=[1])
        yield node(f"large/ArgMax {what}", "ArgMax", x, axis=1)
        yield node(f"large/CumSum {what}", "CumSum", x, single(1, np.int64))
        width = draw.floats(x.shape[1])
        yield node(f"large/LayerNormalization {what}", "LayerNormalization", x, width, width)
    yield node("large/TopK rows", "TopK", rows, int64(3), outputs=2)
    yield node("large/ReduceMax columns", "ReduceMax", rows.reshape(8, ROWS), axes=[0])
    yield node("large/Transpose rows", "Transpose", rows.reshape(ROWS, 4, 2), perm=[0, 2, 1])
    yield node("large/MatMul batches", "MatMul", rows.reshape(ROWS, 2, 4), draw.floats(ROWS, 4, 2))
    yield node("large/MatMul rows", "MatMul", draw.floats(4 * ROWS, 4), fixed(draw.floats(4, 4)))
    channels = draw.floats(1, ROWS, 2, 2), draw.floats(ROWS), draw.floats(ROWS)
    yield node("large/InstanceNormalization", "InstanceNormalization", *channels, slack=10)
    picture = draw.floats(1, 2, 1500, 1500)
    yield node("large/MaxPool", "MaxPool", picture, kernel_shape=[2, 2])
    yield node("large/Conv 1x1", "Conv", picture, fixed(draw.floats(2, 2, 1, 1)))
    yield node("large/Gather", "Gather", draw.floats(10, 100), draw.ints(45_000, dtype=np.int64))
    index = draw.ints(1, ROWS, 4, high=ROWS, dtype=np.int64)
    yield node("large/GatherElements", "GatherElements", draw.floats(1, ROWS, 4), index, axis=1)
    yield node("large/Expand", "Expand", draw.floats(1, 4401), int64(1000, 4401))
    yield node(
        "large/Resize",
        "Resize",
        picture[:, :, :700, :701],
        None,
        fixed(np.array([1, 1, 2, 2], np.float32)),
        mode="linear",
    )
