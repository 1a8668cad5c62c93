"""What moves elements or makes them up: reshaping, repeating, permuting, counting."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from webbuild.probe.probe_model import Probe, initializer, int64_initializer, make_probe, scalar_initializer
from webbuild.probe.random_data import RandomData

_KINDS = (np.int32, np.int64, np.uint8, np.bool_)


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    x = draw.floats(2, 3, 4)
    for perm in permutations(range(3)):
        yield make_probe(f"shapes/Transpose {list(perm)}", "Transpose", x, perm=list(perm))
    for order in ([0, 2, 3, 1], [0, 3, 1, 2], [0, 2, 1, 3], [3, 2, 1, 0]):
        yield make_probe(f"shapes/Transpose {order}", "Transpose", draw.floats(2, 3, 4, 5), perm=order)
    yield from _reshape(draw)
    yield from _repeat(draw)
    yield from _blocks(draw)
    yield from _made(draw)
    for kind in _KINDS:
        data, name = draw.ints(2, 3, high=2, dtype=kind), np.dtype(kind).name
        yield make_probe(f"shapes/Transpose {name}", "Transpose", data)
        yield make_probe(f"shapes/Reshape {name}", "Reshape", data, int64_initializer(3, 2))
        yield make_probe(f"shapes/Unsqueeze {name}", "Unsqueeze", data, int64_initializer(0))
        yield make_probe(f"shapes/Squeeze {name}", "Squeeze", data[:1], int64_initializer(0))
        yield make_probe(f"shapes/Flatten {name}", "Flatten", data)
        yield make_probe(f"shapes/Expand {name}", "Expand", data[:, :1], int64_initializer(2, 5))
        yield make_probe(f"shapes/Expand {name} odd", "Expand", data[:1].reshape(1, 1, 3), int64_initializer(3, 5, 3))
        yield make_probe(f"shapes/Tile {name}", "Tile", data, int64_initializer(2, 1))
        yield make_probe(f"shapes/Concat {name}", "Concat", data, data, axis=0)
        yield make_probe(f"shapes/Identity {name}", "Identity", data)


def _reshape(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(2, 3, 4)
    for shape in ((-1,), (0, -1), (6, 4), (1, 2, 3, 4, 1), (2, 0, 4)):
        yield make_probe(f"shapes/Reshape {list(shape)}", "Reshape", x, int64_initializer(*shape))
    yield make_probe("shapes/Reshape fed", "Reshape", x, np.array([4, 6]))
    yield make_probe("shapes/Reshape opset 25", "Reshape", x, int64_initializer(4, 6), opset=25)
    for axes in ((0,), (-1,), (0, 2), (1, -1)):
        yield make_probe(f"shapes/Unsqueeze {list(axes)}", "Unsqueeze", x, int64_initializer(*axes))
    yield make_probe("shapes/Unsqueeze scalar axes", "Unsqueeze", x, scalar_initializer(0, np.int64))
    yield make_probe("shapes/Unsqueeze fed", "Unsqueeze", x, np.array([1]))
    yield make_probe("shapes/Unsqueeze opset 11", "Unsqueeze", x, opset=11, axes=[0, 2])
    ones = draw.floats(1, 3, 1)
    yield make_probe("shapes/Squeeze all", "Squeeze", ones)
    yield make_probe("shapes/Squeeze negative", "Squeeze", ones, int64_initializer(-1))
    yield make_probe("shapes/Squeeze fed", "Squeeze", ones, np.array([0]))
    yield make_probe("shapes/Squeeze opset 11", "Squeeze", ones, opset=11, axes=[0])
    for axis in (0, 1, 3, -1):
        yield make_probe(f"shapes/Flatten {axis}", "Flatten", x, axis=axis)


def _repeat(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(3, 1)
    yield make_probe("shapes/Expand", "Expand", x, int64_initializer(3, 4))
    yield make_probe("shapes/Expand to higher rank", "Expand", x, int64_initializer(2, 3, 4))
    yield make_probe("shapes/Expand ones", "Expand", draw.floats(3, 4), int64_initializer(1, 1))
    yield make_probe("shapes/Expand both ways", "Expand", x, int64_initializer(1, 4))
    yield make_probe("shapes/Expand fed", "Expand", x, np.array([2, 3, 4]))
    yield make_probe("shapes/Expand multiple of 4", "Expand", draw.floats(1, 8), int64_initializer(4, 8))
    for repeats in ((1, 1), (2, 1), (1, 2), (3, 2)):
        yield make_probe(f"shapes/Tile {list(repeats)}", "Tile", draw.floats(2, 3), int64_initializer(*repeats))
    yield make_probe("shapes/Tile fed", "Tile", draw.floats(2, 3), np.array([2, 1]))
    for axis in (0, 1, 2, -1):
        parts = [draw.floats(2, 3, 4), draw.floats(2, 3, 4)]
        yield make_probe(f"shapes/Concat axis {axis}", "Concat", *parts, axis=axis)
    yield make_probe("shapes/Concat uneven", "Concat", draw.floats(2, 3), draw.floats(2, 1), draw.floats(2, 6), axis=1)
    yield make_probe("shapes/Concat one", "Concat", draw.floats(2, 3), axis=1)


def _blocks(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(2, 12, 3, 5)
    for mode in ("DCR", "CRD"):
        yield make_probe(f"shapes/DepthToSpace {mode}", "DepthToSpace", x, blocksize=2, mode=mode)
    yield make_probe("shapes/DepthToSpace int32", "DepthToSpace", draw.ints(1, 4, 2, 2), blocksize=2)
    yield make_probe("shapes/SpaceToDepth", "SpaceToDepth", draw.floats(1, 2, 4, 6), blocksize=2)
    columns = draw.floats(1, 16, 9), int64_initializer(4, 4), int64_initializer(2, 2)
    yield make_probe("shapes/Col2Im", "Col2Im", *columns, opset=18)
    yield make_probe("shapes/CenterCropPad", "CenterCropPad", draw.floats(3, 8), int64_initializer(5, 6), opset=18)
    lengths = draw.floats(4, 2, 3), np.array([3, 4])
    yield make_probe("shapes/ReverseSequence", "ReverseSequence", *lengths)


def _made(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(2, 3, 4)
    yield make_probe("shapes/Shape", "Shape", x)
    yield make_probe("shapes/Shape part", "Shape", x, start=1, end=-1)
    for opset in (13, 19, 21, 23, 24, 25):
        yield make_probe(f"shapes/Shape opset {opset}", "Shape", x, opset=opset)
    yield make_probe("shapes/Size", "Size", x)
    for what, (start, end, step), kind in (
        ("float", (0, 1, 0.1), np.float32),
        ("int32", (0, 7, 2), np.int32),
        ("int32 downwards", (5, 0, -2), np.int32),
        ("int64", (0, 5, 1), np.int64),
    ):
        yield make_probe(f"shapes/Range {what}", "Range", *(np.array(v, kind) for v in (start, end, step)))
    yield make_probe("shapes/ConstantOfShape", "ConstantOfShape", np.array([2, 3]))
    yield make_probe("shapes/EyeLike", "EyeLike", draw.floats(3, 4), k=1)
    for kind in (np.int64, np.int32, np.float32):
        given = draw.ints(4, dtype=kind), scalar_initializer(10, np.int64), initializer(np.array([0, 1], np.float32))
        yield make_probe(f"shapes/OneHot {np.dtype(kind).name}", "OneHot", *given)
    first = draw.ints(4, dtype=np.int64), scalar_initializer(10, np.int64), initializer(np.array([0, 1], np.float32))
    yield make_probe("shapes/OneHot first axis", "OneHot", *first, axis=0)
    yield make_probe("shapes/NonZero bool", "NonZero", draw.bools(3, 4))
    yield make_probe("shapes/NonZero", "NonZero", draw.ints(3, 4, high=2).astype(np.float32))
    yield make_probe("shapes/Compress", "Compress", draw.floats(5, 3), np.array([1, 0, 1, 1, 0], bool), axis=0)
    yield make_probe("shapes/Unique", "Unique", np.array([3, 1, 1, 2], np.float32), sorted=1)
