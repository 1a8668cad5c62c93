"""Negative axes, for every operator with an axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, int64s, make_probe, scalar
from webbuild.probe.random_data import RandomData

_ALONG: dict[str, dict[str, Any]] = {
    "Softmax": {},
    "LogSoftmax": {},
    "Hardmax": {},
    "ArgMax": {},
    "ArgMin": {"keepdims": 0},
    "LpNormalization": {},
    "Flatten": {},
}
_REDUCTIONS = ("ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for axis in (-1, -2, -3):
        yield from _attribute(draw, axis)
        yield from _input(draw, axis)


def _attribute(draw: RandomData, axis: int) -> Iterator[Probe]:
    x = draw.floats(3, 4, 6)
    for op, attributes in _ALONG.items():
        yield make_probe(f"{op} {axis}", x, axis=axis, **attributes)
    scale = draw.floats(*x.shape[axis:])
    yield make_probe(f"LayerNormalization {axis}", x, scale, axis=axis)
    yield make_probe(f"RMSNormalization {axis}", x, scale, opset=23, axis=axis)
    yield make_probe(f"Concat {axis}", x, x, axis=axis)
    yield make_probe(f"Gather {axis}", x, np.array([2, 0]), axis=axis)
    places = np.stack([draw.permutation(3)[:2] for _ in range(6)]).T
    places = np.moveaxis(np.broadcast_to(places[:, :3, None], (2, 3, 3)), 0, axis)
    yield make_probe(f"GatherElements {axis}", x, np.ascontiguousarray(places), axis=axis)
    yield make_probe(f"ScatterElements {axis}", x, np.ascontiguousarray(places), draw.floats(*places.shape), axis=axis)
    half = x.shape[axis] // 2
    yield make_probe(f"Split {axis}", x, int64s(half, x.shape[axis] - half), outputs=2, axis=axis)
    yield make_probe(f"TopK {axis}", x, int64s(2), outputs=2, axis=axis)
    chosen = np.arange(x.shape[axis]) % 2 == 0
    yield make_probe(f"Compress {axis}", x, chosen, axis=axis)
    depth = scalar(5, np.int64), Initializer(np.array([0, 1], np.float32))
    yield make_probe(f"OneHot {axis}", draw.ints(2, 3, high=5, dtype=np.int64), *depth, axis=axis)
    whole = draw.ints(3, 4, 6, high=255, dtype=np.uint8)
    scales = Initializer(draw.positive(x.shape[axis])), Initializer(draw.ints(x.shape[axis], dtype=np.uint8))
    yield make_probe(f"DequantizeLinear {axis}", whole, *scales, axis=axis)
    yield make_probe(f"QuantizeLinear {axis}", x, *scales, axis=axis)
    yield make_probe(f"Softmax {axis} opset 11", x, opset=11, axis=axis)


def _input(draw: RandomData, axis: int) -> Iterator[Probe]:
    x, axes = draw.positive(3, 4, 6), int64s(axis)
    for op in _REDUCTIONS:
        yield make_probe(f"{op} {axis}", x, axes, opset=18, keepdims=0)
        yield make_probe(f"{op} {axis} as an attribute", x, opset=11, axes=[axis])
    yield make_probe(f"CumSum {axis}", x, scalar(axis, np.int64))
    yield make_probe(f"Slice {axis}", x, int64s(1), int64s(3), axes)
    yield make_probe(f"Unsqueeze {axis}", x, axes)
    yield make_probe(f"Squeeze {axis}", draw.floats(1, 1, 1), axes)
    yield make_probe(f"Pad {axis}", x, int64s(1, 2), None, axes, opset=18)
    yield make_probe(f"CenterCropPad {axis}", x, int64s(2), opset=18, axes=[axis])
    yield make_probe(f"Resize {axis}", x, None, None, int64s(8), opset=18, mode="nearest", axes=[axis])
