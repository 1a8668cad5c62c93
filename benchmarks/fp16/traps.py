"""Computations of vision models that may fail in float16: short graphs with the values that cause it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.fp16.case import Array, Fp16Case, Step
from benchmarks.fp16.operators import drawn

_Step = tuple[str, str, str, Mapping[str, Any]]
_LAST = np.array([-1], np.int64)


def traps() -> list[Fp16Case]:
    """Return the cases, with values that float16 can represent, except constants beyond its range."""
    return [*_rows(), *_variances(), *_coordinates(), *_masks(), *_boxes(), *_counting(), *_transposed()]


def _rows() -> Iterator[Fp16Case]:
    """Softmax over long rows: a sum of many small numbers, and small results."""
    for length in (1024, 8192, 65536):
        yield _chain(f"Softmax over {length}", [("Softmax", "x", "y", {"axis": -1})], x=drawn(2, length))
    yield _chain("Softmax over 8192 alike", [("Softmax", "x", "y", {"axis": -1})], x=np.ones((1, 8192), np.float32))
    steps: list[_Step] = [
        ("ReduceMax", "x axes", "m", {}),
        ("Sub", "x m", "c", {}),
        ("Exp", "c", "e", {}),
        ("ReduceSum", "e axes", "s", {}),
        ("Div", "e s", "y", {}),
    ]
    row = drawn(1, 8192) * np.float32(0.1)
    yield _chain("Softmax over 8192, written out", steps, {"axes": _LAST}, x=row)
    alike = np.zeros((1, 70000), np.float32)
    yield _chain("Softmax over 70000 alike, written out", steps, {"axes": _LAST}, x=alike)


def _variances() -> Iterator[Fp16Case]:
    """Squares of numbers above 256 exceed 65504, as do sums of squares of smaller numbers."""
    written: list[_Step] = [
        ("ReduceMean", "x axes", "m", {}),
        ("Sub", "x m", "d", {}),
        ("Pow", "d two", "q", {}),
        ("ReduceMean", "q axes", "v", {}),
        ("Add", "v epsilon", "e", {}),
        ("Sqrt", "e", "r", {}),
        ("Div", "d r", "y", {}),
    ]
    for size in (1, 30, 300):
        held = {"axes": _LAST, "two": np.float32(2), "epsilon": np.float32(1e-5)}
        x = drawn(1, 49, 256, scale=size)
        yield _chain(f"LayerNorm of numbers around {size}, written out", written, held, x=x)
        weights = {"w": np.ones(256, np.float32), "b": np.zeros(256, np.float32)}
        fused = [("LayerNormalization", "x w b", "y", {"axis": -1})]
        yield _chain(f"LayerNormalization of numbers around {size}", fused, weights, x=x)
    flat = drawn(1, 49, 256, scale=1e-3)
    held = {"axes": _LAST, "two": np.float32(2), "epsilon": np.float32(1e-12)}
    yield _chain("LayerNorm of numbers around 0.001, written out", written, held, x=flat)
    for side, size in ((32, 1), (128, 1), (128, 60), (32, 300)):
        image = drawn(1, 4, side, side, scale=size)
        weights = {"w": np.ones(4, np.float32), "b": np.zeros(4, np.float32)}
        fused = [("InstanceNormalization", "x w b", "y", {})]
        yield _chain(f"InstanceNormalization of {side}x{side} numbers around {size}", fused, weights, x=image)
        held = {"axes": np.array([2, 3], np.int64), "two": np.float32(2), "epsilon": np.float32(1e-5)}
        yield _chain(f"InstanceNorm of {side}x{side} numbers around {size}, written out", written, held, x=image)
    bright = drawn(1, 4, 128, 128, scale=0.1) + 8
    yield _chain("ReduceMean of 128x128", [("ReduceMean", "x axes", "y", {})], {"axes": np.array([2, 3])}, x=bright)
    yield _chain("ReduceSum of 128x128", [("ReduceSum", "x axes", "y", {})], {"axes": np.array([2, 3])}, x=bright)
    yield _chain("GlobalAveragePool of 128x128", [("GlobalAveragePool", "x", "y", {})], x=bright)
    long = drawn(1, 1, 8192, scale=4)
    yield _chain(
        "MatMul of 8192 products around 16", [("MatMul", "x w", "y", {})], {"w": drawn(8192, 4, scale=4)}, x=long
    )
    pixels = np.abs(drawn(1, 64, 8, 8)) * 200
    weights = {"w": np.abs(drawn(8, 64, 3, 3, scale=0.5))}
    yield _chain("Conv that sums to 100000", [("Conv", "x w", "y", {"pads": [1, 1, 1, 1]})], weights, x=pixels)
    held = {"w": np.abs(drawn(8, 64, 3, 3, scale=0.5)), "s": np.float32(1e-3)}
    steps: list[_Step] = [("Conv", "x w", "c", {"pads": [1, 1, 1, 1]}), ("Mul", "c s", "y", {})]
    yield _chain("Conv that sums to 100000, scaled after it", steps, held, x=pixels)


def _coordinates() -> Iterator[Fp16Case]:
    """From 2048 on float16 has only every second integer, from 4096 on every fourth."""
    offsets = (np.arange(4096, dtype=np.float32) + 0.5)[None]
    for size in (1000, 4096):
        steps: list[_Step] = [("Add", "x grid", "c", {}), ("Mul", "c s", "y", {})]
        held = {"grid": offsets[:, :size], "s": np.float32(1)}
        yield _chain(f"Places up to {size}", steps, held, x=np.full((1, size), 0.25, np.float32))
    steps = [("Mul", "x s", "m", {}), ("Floor", "m", "f", {}), ("Cast", "f", "y", {"to": 7})]
    share = np.linspace(0, 1, 3000, dtype=np.float32)[None]
    yield _chain("Shares that become 3000 places", steps, {"s": np.float32(3000)}, x=share)
    grid = np.stack(np.meshgrid(*(np.linspace(-0.98, 0.98, 24, dtype=np.float32),) * 2), -1)[None]
    for side in (16, 512):
        image = np.broadcast_to(np.arange(side, dtype=np.float32) % 7, (1, 1, side, side)).copy()
        steps = [("GridSample", "x grid", "y", {"mode": "bilinear"})]
        yield _chain(f"GridSample of {side}x{side}", steps, x=image, grid=grid)
    image = drawn(1, 1, 4, 1500)
    held = {"scales": np.array([1, 1, 1, 2], np.float32)}
    attributes = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
    yield _chain("Resize to 3000 columns", [("Resize", "x  scales", "y", attributes)], held, {"scales"}, x=image)


def _masks() -> Iterator[Fp16Case]:
    """-1e9 is infinite in float16; a fully masked row has no finite maximum."""
    x, seen = drawn(2, 12), np.array([[True] * 5 + [False] * 7, [False] * 12])
    for value in (-1e4, -1e9, -np.inf):
        for rows, name in ((1, "some"), (2, "all")):
            steps: list[_Step] = [("Where", "seen x low", "m", {}), ("Softmax", "m", "y", {"axis": -1})]
            held = {"low": np.float32(value)}
            yield _chain(f"Softmax of rows with {name} masked by {value:g}", steps, held, x=x[:rows], seen=seen[:rows])
    steps = [("Sub", "one x", "o", {}), ("Mul", "o low", "m", {}), ("Softmax", "m", "y", {"axis": -1})]
    held = {"one": np.float32(1), "low": np.float32(-1e9)}
    yield _chain("Softmax of a mask of ones times -1e9", steps, held, x=seen.astype(np.float32)[:1])


def _boxes() -> Iterator[Fp16Case]:
    """A width is the exp of the network's output: above 11.09 it is infinite."""
    for top in (4, 12):
        steps: list[_Step] = [("Exp", "x", "e", {}), ("Mul", "e anchor", "y", {})]
        held = {"anchor": np.float32(16)}
        yield _chain(
            f"Widths, exp of numbers up to {top}", steps, held, x=np.linspace(-4, top, 64, dtype=np.float32)[None]
        )
    steps = [
        ("Softmax", "x", "p", {"axis": 2}),
        ("Mul", "p bins", "w", {}),
        ("ReduceSum", "w axes", "y", {"keepdims": 0}),
    ]
    bins = np.arange(16, dtype=np.float32)
    yield _chain("Distances as 16 shares", steps, {"bins": bins, "axes": _LAST}, x=drawn(1, 80, 16, scale=3))
    steps = [("Sigmoid", "x", "s", {}), ("Log", "s", "y", {})]
    yield _chain("Log of a Sigmoid", steps, x=np.linspace(-20, 4, 64, dtype=np.float32)[None])
    steps = [("Clip", "x low high", "c", {}), ("Sub", "one c", "o", {}), ("Div", "c o", "d", {}), ("Log", "d", "y", {})]
    held = {"low": np.float32(1e-5), "high": np.float32(1 - 1e-5), "one": np.float32(1)}
    yield _chain("Inverse of a Sigmoid", steps, held, x=np.linspace(0, 1, 64, dtype=np.float32)[None])


def _counting() -> Iterator[Fp16Case]:
    """In float16, 2048 + 1 is 2048."""
    for length in (1000, 5000):
        ones = np.ones((1, length), np.float32)
        yield _chain(f"CumSum of {length} ones", [("CumSum", "x axis", "y", {})], {"axis": np.int64(1)}, x=ones)


def _transposed() -> Iterator[Fp16Case]:
    """The kernel of onnxruntime computes its read indices in the type of the data (onnxruntime #28976)."""
    for length in (1000, 1500, 5000):
        steps: list[_Step] = [("ConvTranspose", "x w", "y", {"strides": [1, 2], "pads": [0, 0, 0, 0]})]
        x = drawn(1, 4, 1, length)
        yield _chain(f"ConvTranspose to {2 * length} columns", steps, {"w": drawn(4, 4, 1, 2)}, x=x)


def _chain(
    name: str,
    steps: Sequence[_Step],
    held: Mapping[str, Any] | None = None,
    single: set[str] | None = None,
    **feeds: Array,
) -> Fp16Case:
    """Return a graph: each step is an operator, its input names separated by spaces, its outputs, its attributes."""
    made = tuple(Step(op, tuple(given.split(" ")), output, dict(attributes)) for op, given, output, attributes in steps)
    constants = {key: np.asarray(value) for key, value in (held or {}).items()}
    whole = Fp16Case(name, made, feeds, constants, frozenset(single or ()))
    return whole.with_feeds_rounded()
