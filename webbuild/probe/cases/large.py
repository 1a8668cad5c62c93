"""More work groups than one dispatch may have along an axis: 65,535."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.probe_model import Array, Probe, initializer, int64_initializer, make_probe, scalar_initializer
from webbuild.probe.random_data import RandomData

ROWS = 70_000
ELEMENTS = 4_400_001
"""More than 65,535 groups of 64 threads, and an odd number, so that four do not go together."""


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    flat = np.tile(draw.floats(4001), ELEMENTS // 4001 + 1)[:ELEMENTS]
    yield make_probe("large/Relu", "Relu", flat)
    yield make_probe("large/Add scalar", "Add", flat, scalar_initializer(1))
    yield make_probe("large/Not", "Not", flat > 0)
    yield make_probe("large/Concat", "Concat", flat, flat[:1000], axis=0)
    yield make_probe("large/Transpose", "Transpose", flat[: 2001 * 2000].reshape(2001, 2000))
    rows, odd = draw.floats(ROWS, 8), draw.floats(ROWS, 7)
    for what, x in (("rows", rows), ("odd rows", odd)):
        yield make_probe(f"large/Softmax {what}", "Softmax", x, axis=-1)
        yield make_probe(f"large/ReduceSum {what}", "ReduceSum", x, int64_initializer(1))
        yield make_probe(f"large/ReduceMax {what}", "ReduceMax", x, axes=[1])
        yield make_probe(f"large/ArgMax {what}", "ArgMax", x, axis=1)
        yield make_probe(f"large/CumSum {what}", "CumSum", x, scalar_initializer(1, np.int64))
        width = draw.floats(x.shape[1])
        yield make_probe(f"large/LayerNormalization {what}", "LayerNormalization", x, width, width)
    yield make_probe("large/TopK rows", "TopK", rows, int64_initializer(3), outputs=2)
    yield make_probe("large/ReduceMax columns", "ReduceMax", rows.reshape(8, ROWS), axes=[0])
    yield make_probe("large/Transpose rows", "Transpose", rows.reshape(ROWS, 4, 2), perm=[0, 2, 1])
    yield make_probe("large/MatMul batches", "MatMul", rows.reshape(ROWS, 2, 4), draw.floats(ROWS, 4, 2))
    yield make_probe("large/MatMul rows", "MatMul", draw.floats(4 * ROWS, 4), initializer(draw.floats(4, 4)))
    picture = draw.floats(1, 2, 1500, 1500)
    yield make_probe("large/MaxPool", "MaxPool", picture, kernel_shape=[2, 2])
    yield make_probe("large/Conv 1x1", "Conv", picture, initializer(draw.floats(2, 2, 1, 1)))
    yield make_probe("large/Gather", "Gather", draw.floats(10, 100), draw.ints(45_000, dtype=np.int64))
    index = draw.ints(1, ROWS, 4, high=ROWS, dtype=np.int64)
    yield make_probe("large/GatherElements", "GatherElements", draw.floats(1, ROWS, 4), index, axis=1)
    yield make_probe("large/Expand", "Expand", draw.floats(1, 4401), int64_initializer(1000, 4401))
    yield from _moved(draw, flat)
    yield from _layers(draw, picture)
    yield make_probe(
        "large/Resize",
        "Resize",
        picture[:, :, :700, :701],
        None,
        initializer(np.array([1, 1, 2, 2], np.float32)),
        mode="linear",
    )


def _moved(draw: RandomData, flat: Array) -> Iterator[Probe]:
    yield make_probe("large/Cast", "Cast", flat, to=6)
    yield make_probe("large/Where", "Where", flat > 0, flat, scalar_initializer(0))
    yield make_probe("large/Pow", "Pow", np.abs(flat) + np.float32(0.5), scalar_initializer(1.5))
    yield make_probe(
        "large/Slice", "Slice", flat, int64_initializer(1), int64_initializer(ELEMENTS), int64_initializer(0)
    )
    yield make_probe(
        "large/Slice every other",
        "Slice",
        flat,
        int64_initializer(1),
        int64_initializer(ELEMENTS),
        int64_initializer(0),
        int64_initializer(2),
    )
    yield make_probe("large/Split", "Split", flat, int64_initializer(100, ELEMENTS - 100), outputs=2)
    yield make_probe("large/Pad", "Pad", flat, int64_initializer(1, 2))
    yield make_probe("large/Tile", "Tile", flat[:441], int64_initializer(10_001))
    yield make_probe("large/ReduceSum all", "ReduceSum", np.abs(flat), keepdims=0, slack=20)
    yield make_probe("large/ReduceMax all", "ReduceMax", flat, keepdims=0)
    places = draw.permutation(ROWS).reshape(ROWS, 1)
    yield make_probe("large/ScatterND", "ScatterND", np.zeros((ROWS, 70), np.float32), places, draw.floats(ROWS, 70))
    spread = np.broadcast_to(places, (ROWS, 8))
    updates = draw.floats(ROWS, 8)
    yield make_probe(
        "large/ScatterElements", "ScatterElements", np.zeros_like(updates), np.ascontiguousarray(spread), updates
    )
    yield make_probe("large/GatherND", "GatherND", draw.floats(ROWS, 70), places)
    yield make_probe("large/DepthToSpace", "DepthToSpace", draw.floats(1, 16, 530, 530), blocksize=2)


def _layers(draw: RandomData, picture: Array) -> Iterator[Probe]:
    channels = draw.floats(1, ROWS, 2, 2)
    yield make_probe("large/GlobalAveragePool", "GlobalAveragePool", channels)
    yield make_probe("large/AveragePool", "AveragePool", picture, kernel_shape=[2, 2])
    moments = [draw.floats(2), draw.floats(2), draw.floats(2), draw.positive(2)]
    yield make_probe("large/BatchNormalization", "BatchNormalization", picture, *moments)
    yield make_probe("large/Conv 3x3", "Conv", picture, initializer(draw.floats(2, 2, 3, 3)), pads=[1] * 4)
    yield make_probe("large/Conv depthwise", "Conv", picture, initializer(draw.floats(2, 1, 3, 3)), group=2)
    yield make_probe("large/Conv 1-D", "Conv", picture.reshape(1, 2, -1), initializer(draw.floats(3, 2, 3)))
    yield make_probe("large/ConvTranspose", "ConvTranspose", picture[:, :, :750, :751], initializer(draw.floats(2, 2,
    2, 2)),
               strides=[2, 2])  # fmt: skip
    points = draw.uniform(-1, 1, 1, 1500, 1500, 2)
    yield make_probe("large/GridSample", "GridSample", picture[:, :, :40, :40], points)
    yield make_probe("large/Gemm rows", "Gemm", draw.floats(2 * ROWS, 4), draw.floats(4, 4), draw.floats(4))
    scales = None, initializer(np.array([1, 1, 2, 2], np.float32))
    yield make_probe("large/Resize nearest", "Resize", picture[:, :, :750, :751], *scales, mode="nearest")
