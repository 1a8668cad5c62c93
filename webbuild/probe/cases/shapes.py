"""Data movement and generation: reshaping, repeating, permuting, counting."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, int64s, make_probe, scalar
from webbuild.probe.random_data import RandomData

_KINDS = (np.int32, np.int64, np.uint8, np.bool_)


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    x = draw.floats(2, 3, 4)
    for perm in permutations(range(3)):
        yield make_probe(f"Transpose {list(perm)}", x, perm=list(perm))
    for order in ([0, 2, 3, 1], [0, 3, 1, 2], [0, 2, 1, 3], [3, 2, 1, 0]):
        yield make_probe(f"Transpose {order}", draw.floats(2, 3, 4, 5), perm=order)
    yield from _reshape(draw)
    yield from _repeat(draw)
    yield from _blocks(draw)
    yield from _made(draw)
    for kind in _KINDS:
        data, name = draw.ints(2, 3, high=2, dtype=kind), np.dtype(kind).name
        yield make_probe(f"Transpose {name}", data)
        yield make_probe(f"Reshape {name}", data, int64s(3, 2))
        yield make_probe(f"Unsqueeze {name}", data, int64s(0))
        yield make_probe(f"Squeeze {name}", data[:1], int64s(0))
        yield make_probe(f"Flatten {name}", data)
        yield make_probe(f"Expand {name}", data[:, :1], int64s(2, 5))
        yield make_probe(f"Expand {name} odd", data[:1].reshape(1, 1, 3), int64s(3, 5, 3))
        yield make_probe(f"Tile {name}", data, int64s(2, 1))
        yield make_probe(f"Concat {name}", data, data, axis=0)
        yield make_probe(f"Identity {name}", data)


def _reshape(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(2, 3, 4)
    for shape in ((-1,), (0, -1), (6, 4), (1, 2, 3, 4, 1), (2, 0, 4)):
        yield make_probe(f"Reshape {list(shape)}", x, int64s(*shape))
    yield make_probe("Reshape fed", x, np.array([4, 6]))
    yield make_probe("Reshape opset 25", x, int64s(4, 6), opset=25)
    for axes in ((0,), (-1,), (0, 2), (1, -1)):
        yield make_probe(f"Unsqueeze {list(axes)}", x, int64s(*axes))
    yield make_probe("Unsqueeze scalar axes", x, scalar(0, np.int64))
    yield make_probe("Unsqueeze fed", x, np.array([1]))
    yield make_probe("Unsqueeze opset 11", x, opset=11, axes=[0, 2])
    ones = draw.floats(1, 3, 1)
    yield make_probe("Squeeze all", ones)
    yield make_probe("Squeeze negative", ones, int64s(-1))
    yield make_probe("Squeeze fed", ones, np.array([0]))
    yield make_probe("Squeeze opset 11", ones, opset=11, axes=[0])
    for axis in (0, 1, 3, -1):
        yield make_probe(f"Flatten {axis}", x, axis=axis)


def _repeat(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(3, 1)
    yield make_probe("Expand", x, int64s(3, 4))
    yield make_probe("Expand to higher rank", x, int64s(2, 3, 4))
    yield make_probe("Expand ones", draw.floats(3, 4), int64s(1, 1))
    yield make_probe("Expand both ways", x, int64s(1, 4))
    yield make_probe("Expand fed", x, np.array([2, 3, 4]))
    yield make_probe("Expand multiple of 4", draw.floats(1, 8), int64s(4, 8))
    for repeats in ((1, 1), (2, 1), (1, 2), (3, 2)):
        yield make_probe(f"Tile {list(repeats)}", draw.floats(2, 3), int64s(*repeats))
    yield make_probe("Tile fed", draw.floats(2, 3), np.array([2, 1]))
    for axis in (0, 1, 2, -1):
        yield make_probe(f"Concat axis {axis}", draw.floats(2, 3, 4), draw.floats(2, 3, 4), axis=axis)
    yield make_probe("Concat uneven", draw.floats(2, 3), draw.floats(2, 1), draw.floats(2, 6), axis=1)
    yield make_probe("Concat one", draw.floats(2, 3), axis=1)


def _blocks(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(2, 12, 3, 5)
    for mode in ("DCR", "CRD"):
        yield make_probe(f"DepthToSpace {mode}", x, blocksize=2, mode=mode)
    yield make_probe("DepthToSpace int32", draw.ints(1, 4, 2, 2), blocksize=2)
    yield make_probe("SpaceToDepth", draw.floats(1, 2, 4, 6), blocksize=2)
    yield make_probe("Col2Im", draw.floats(1, 16, 9), int64s(4, 4), int64s(2, 2), opset=18)
    yield make_probe("CenterCropPad", draw.floats(3, 8), int64s(5, 6), opset=18)
    yield make_probe("ReverseSequence", draw.floats(4, 2, 3), np.array([3, 4]))


def _made(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(2, 3, 4)
    yield make_probe("Shape", x)
    yield make_probe("Shape part", x, start=1, end=-1)
    for opset in (13, 19, 21, 23, 24, 25):
        yield make_probe(f"Shape opset {opset}", x, opset=opset)
    yield make_probe("Size", x)
    for what, (start, end, step), kind in (
        ("float", (0, 1, 0.1), np.float32),
        ("int32", (0, 7, 2), np.int32),
        ("int32 downwards", (5, 0, -2), np.int32),
        ("int64", (0, 5, 1), np.int64),
    ):
        yield make_probe(f"Range {what}", *(np.array(v, kind) for v in (start, end, step)))
    yield make_probe("ConstantOfShape", np.array([2, 3]))
    yield make_probe("EyeLike", draw.floats(3, 4), k=1)
    for kind in (np.int64, np.int32, np.float32):
        inputs = draw.ints(4, dtype=kind), scalar(10, np.int64), Initializer(np.array([0, 1], np.float32))
        yield make_probe(f"OneHot {np.dtype(kind).name}", *inputs)
    first = draw.ints(4, dtype=np.int64), scalar(10, np.int64), Initializer(np.array([0, 1], np.float32))
    yield make_probe("OneHot first axis", *first, axis=0)
    yield make_probe("NonZero bool", draw.bools(3, 4))
    yield make_probe("NonZero", draw.ints(3, 4, high=2).astype(np.float32))
    yield make_probe("Compress", draw.floats(5, 3), np.array([1, 0, 1, 1, 0], bool), axis=0)
    yield make_probe("Unique", np.array([3, 1, 1, 2], np.float32), sorted=1)
