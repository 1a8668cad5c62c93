"""Tensors that need more workgroups than a dispatch may have per dimension, 65,535."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.probe_model import Array, Initializer, Probe, int64s, make_probe, scalar
from webbuild.probe.random_data import RandomData

_ROWS = 70_000
_ELEMENTS = 4_400_001
"""More than 65,535 workgroups of 64 threads, and odd, so that kernels are not vectorized."""


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    flat = np.tile(draw.floats(4001), _ELEMENTS // 4001 + 1)[:_ELEMENTS]
    yield make_probe("Relu", flat)
    yield make_probe("Add scalar", flat, scalar(1))
    yield make_probe("Not", flat > 0)
    yield make_probe("Concat", flat, flat[:1000], axis=0)
    yield make_probe("Transpose", flat[: 2001 * 2000].reshape(2001, 2000))
    rows, odd = draw.floats(_ROWS, 8), draw.floats(_ROWS, 7)
    for what, x in (("rows", rows), ("odd rows", odd)):
        yield make_probe(f"Softmax {what}", x, axis=-1)
        yield make_probe(f"ReduceSum {what}", x, int64s(1))
        yield make_probe(f"ReduceMax {what}", x, axes=[1])
        yield make_probe(f"ArgMax {what}", x, axis=1)
        yield make_probe(f"CumSum {what}", x, scalar(1, np.int64))
        width = draw.floats(x.shape[1])
        yield make_probe(f"LayerNormalization {what}", x, width, width)
    yield make_probe("TopK rows", rows, int64s(3), outputs=2)
    yield make_probe("ReduceMax columns", rows.reshape(8, _ROWS), axes=[0])
    yield make_probe("Transpose rows", rows.reshape(_ROWS, 4, 2), perm=[0, 2, 1])
    yield make_probe("MatMul batches", rows.reshape(_ROWS, 2, 4), draw.floats(_ROWS, 4, 2))
    yield make_probe("MatMul rows", draw.floats(4 * _ROWS, 4), Initializer(draw.floats(4, 4)))
    picture = draw.floats(1, 2, 1500, 1500)
    yield make_probe("MaxPool", picture, kernel_shape=[2, 2])
    yield make_probe("Conv 1x1", picture, Initializer(draw.floats(2, 2, 1, 1)))
    yield make_probe("Gather", draw.floats(10, 100), draw.ints(45_000, dtype=np.int64))
    index = draw.ints(1, _ROWS, 4, high=_ROWS, dtype=np.int64)
    yield make_probe("GatherElements", draw.floats(1, _ROWS, 4), index, axis=1)
    yield make_probe("Expand", draw.floats(1, 4401), int64s(1000, 4401))
    yield from _moved(draw, flat)
    yield from _layers(draw, picture)
    yield make_probe(
        "Resize", picture[:, :, :700, :701], None, Initializer(np.array([1, 1, 2, 2], np.float32)), mode="linear"
    )


def _moved(draw: RandomData, flat: Array) -> Iterator[Probe]:
    yield make_probe("Cast", flat, to=6)
    yield make_probe("Where", flat > 0, flat, scalar(0))
    yield make_probe("Pow", np.abs(flat) + np.float32(0.5), scalar(1.5))
    yield make_probe("Slice", flat, int64s(1), int64s(_ELEMENTS), int64s(0))
    yield make_probe("Slice every other", flat, int64s(1), int64s(_ELEMENTS), int64s(0), int64s(2))
    yield make_probe("Split", flat, int64s(100, _ELEMENTS - 100), outputs=2)
    yield make_probe("Pad", flat, int64s(1, 2))
    yield make_probe("Tile", flat[:441], int64s(10_001))
    yield make_probe("ReduceSum all", np.abs(flat), keepdims=0, slack=20)
    yield make_probe("ReduceMax all", flat, keepdims=0)
    places = draw.permutation(_ROWS).reshape(_ROWS, 1)
    yield make_probe("ScatterND", np.zeros((_ROWS, 70), np.float32), places, draw.floats(_ROWS, 70))
    spread = np.broadcast_to(places, (_ROWS, 8))
    updates = draw.floats(_ROWS, 8)
    yield make_probe("ScatterElements", np.zeros_like(updates), np.ascontiguousarray(spread), updates)
    yield make_probe("GatherND", draw.floats(_ROWS, 70), places)
    yield make_probe("DepthToSpace", draw.floats(1, 16, 530, 530), blocksize=2)


def _layers(draw: RandomData, picture: Array) -> Iterator[Probe]:
    yield make_probe("GlobalAveragePool", draw.floats(1, _ROWS, 2, 2))
    yield make_probe("AveragePool", picture, kernel_shape=[2, 2])
    yield make_probe("BatchNormalization", picture, draw.floats(2), draw.floats(2), draw.floats(2), draw.positive(2))
    yield make_probe("Conv 3x3", picture, Initializer(draw.floats(2, 2, 3, 3)), pads=[1] * 4)
    yield make_probe("Conv depthwise", picture, Initializer(draw.floats(2, 1, 3, 3)), group=2)
    yield make_probe("Conv 1-D", picture.reshape(1, 2, -1), Initializer(draw.floats(3, 2, 3)))
    quarter = picture[:, :, :750, :751]
    yield make_probe("ConvTranspose", quarter, Initializer(draw.floats(2, 2, 2, 2)), strides=[2, 2])
    yield make_probe("GridSample", picture[:, :, :40, :40], draw.uniform(-1, 1, 1, 1500, 1500, 2))
    yield make_probe("Gemm rows", draw.floats(2 * _ROWS, 4), draw.floats(4, 4), draw.floats(4))
    yield make_probe("Resize nearest", quarter, None, Initializer(np.array([1, 1, 2, 2], np.float32)), mode="nearest")
