"""More work groups than one dispatch may have along an axis: 65,535."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.draw import Draw
from webbuild.probe.node import Array, Probe, fixed, int64, node, single

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
    picture = draw.floats(1, 2, 1500, 1500)
    yield node("large/MaxPool", "MaxPool", picture, kernel_shape=[2, 2])
    yield node("large/Conv 1x1", "Conv", picture, fixed(draw.floats(2, 2, 1, 1)))
    yield node("large/Gather", "Gather", draw.floats(10, 100), draw.ints(45_000, dtype=np.int64))
    index = draw.ints(1, ROWS, 4, high=ROWS, dtype=np.int64)
    yield node("large/GatherElements", "GatherElements", draw.floats(1, ROWS, 4), index, axis=1)
    yield node("large/Expand", "Expand", draw.floats(1, 4401), int64(1000, 4401))
    yield from _moved(draw, flat)
    yield from _layers(draw, picture)
    yield node(
        "large/Resize",
        "Resize",
        picture[:, :, :700, :701],
        None,
        fixed(np.array([1, 1, 2, 2], np.float32)),
        mode="linear",
    )


def _moved(draw: Draw, flat: Array) -> Iterator[Probe]:
    yield node("large/Cast", "Cast", flat, to=6)
    yield node("large/Where", "Where", flat > 0, flat, single(0))
    yield node("large/Pow", "Pow", np.abs(flat) + np.float32(0.5), single(1.5))
    yield node("large/Slice", "Slice", flat, int64(1), int64(ELEMENTS), int64(0))
    yield node("large/Slice every other", "Slice", flat, int64(1), int64(ELEMENTS), int64(0), int64(2))
    yield node("large/Split", "Split", flat, int64(100, ELEMENTS - 100), outputs=2)
    yield node("large/Pad", "Pad", flat, int64(1, 2))
    yield node("large/Tile", "Tile", flat[:441], int64(10_001))
    yield node("large/ReduceSum all", "ReduceSum", np.abs(flat), keepdims=0, slack=20)
    yield node("large/ReduceMax all", "ReduceMax", flat, keepdims=0)
    places = draw.order(ROWS).reshape(ROWS, 1)
    yield node("large/ScatterND", "ScatterND", np.zeros((ROWS, 70), np.float32), places, draw.floats(ROWS, 70))
    spread = np.broadcast_to(places, (ROWS, 8))
    updates = draw.floats(ROWS, 8)
    yield node(
        "large/ScatterElements", "ScatterElements", np.zeros_like(updates), np.ascontiguousarray(spread), updates
    )
    yield node("large/GatherND", "GatherND", draw.floats(ROWS, 70), places)
    yield node("large/DepthToSpace", "DepthToSpace", draw.floats(1, 16, 530, 530), blocksize=2)


def _layers(draw: Draw, picture: Array) -> Iterator[Probe]:
    channels = draw.floats(1, ROWS, 2, 2)
    yield node("large/GlobalAveragePool", "GlobalAveragePool", channels)
    yield node("large/AveragePool", "AveragePool", picture, kernel_shape=[2, 2])
    moments = [draw.floats(2), draw.floats(2), draw.floats(2), draw.positive(2)]
    yield node("large/BatchNormalization", "BatchNormalization", picture, *moments)
    yield node("large/Conv 3x3", "Conv", picture, fixed(draw.floats(2, 2, 3, 3)), pads=[1] * 4)
    yield node("large/Conv depthwise", "Conv", picture, fixed(draw.floats(2, 1, 3, 3)), group=2)
    yield node("large/Conv 1-D", "Conv", picture.reshape(1, 2, -1), fixed(draw.floats(3, 2, 3)))
    yield node("large/ConvTranspose", "ConvTranspose", picture[:, :, :750, :751], fixed(draw.floats(2, 2, 2, 2)),
               strides=[2, 2])  # fmt: skip
    points = draw.between(-1, 1, 1, 1500, 1500, 2)
    yield node("large/GridSample", "GridSample", picture[:, :, :40, :40], points)
    yield node("large/Gemm rows", "Gemm", draw.floats(2 * ROWS, 4), draw.floats(4, 4), draw.floats(4))
    scales = None, fixed(np.array([1, 1, 2, 2], np.float32))
    yield node("large/Resize nearest", "Resize", picture[:, :, :750, :751], *scales, mode="nearest")
