"""Axes counted from the end, wherever an operator names one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, initializer, int64_initializer, make_probe, scalar_initializer
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
        yield make_probe(f"axes/{op} {axis}", op, x, axis=axis, **attributes)
    scale = draw.floats(*x.shape[axis:])
    yield make_probe(f"axes/LayerNormalization {axis}", "LayerNormalization", x, scale, axis=axis)
    yield make_probe(f"axes/RMSNormalization {axis}", "RMSNormalization", x, scale, opset=23, axis=axis)
    yield make_probe(f"axes/Concat {axis}", "Concat", x, x, axis=axis)
    yield make_probe(f"axes/Gather {axis}", "Gather", x, np.array([2, 0]), axis=axis)
    places = np.stack([draw.permutation(3)[:2] for _ in range(6)]).T
    places = np.moveaxis(np.broadcast_to(places[:, :3, None], (2, 3, 3)), 0, axis)
    yield make_probe(f"axes/GatherElements {axis}", "GatherElements", x, np.ascontiguousarray(places), axis=axis)
    updates = draw.floats(*places.shape)
    yield make_probe(
        f"axes/ScatterElements {axis}", "ScatterElements", x, np.ascontiguousarray(places), updates, axis=axis
    )
    half = x.shape[axis] // 2
    sizes = int64_initializer(half, x.shape[axis] - half)
    yield make_probe(f"axes/Split {axis}", "Split", x, sizes, outputs=2, axis=axis)
    yield make_probe(f"axes/TopK {axis}", "TopK", x, int64_initializer(2), outputs=2, axis=axis)
    chosen = np.arange(x.shape[axis]) % 2 == 0
    yield make_probe(f"axes/Compress {axis}", "Compress", x, chosen, axis=axis)
    depth = scalar_initializer(5, np.int64), initializer(np.array([0, 1], np.float32))
    yield make_probe(f"axes/OneHot {axis}", "OneHot", draw.ints(2, 3, high=5, dtype=np.int64), *depth, axis=axis)
    whole = draw.ints(3, 4, 6, high=255, dtype=np.uint8)
    scales = initializer(draw.positive(x.shape[axis])), initializer(draw.ints(x.shape[axis], dtype=np.uint8))
    yield make_probe(f"axes/DequantizeLinear {axis}", "DequantizeLinear", whole, *scales, axis=axis)
    yield make_probe(f"axes/QuantizeLinear {axis}", "QuantizeLinear", x, *scales, axis=axis)
    yield make_probe(f"axes/Softmax {axis} opset 11", "Softmax", x, opset=11, axis=axis)


def _input(draw: RandomData, axis: int) -> Iterator[Probe]:
    x, axes = draw.positive(3, 4, 6), int64_initializer(axis)
    for op in _REDUCTIONS:
        yield make_probe(f"axes/{op} {axis}", op, x, axes, opset=18, keepdims=0)
        yield make_probe(f"axes/{op} {axis} as an attribute", op, x, opset=11, axes=[axis])
    yield make_probe(f"axes/CumSum {axis}", "CumSum", x, scalar_initializer(axis, np.int64))
    yield make_probe(f"axes/Slice {axis}", "Slice", x, int64_initializer(1), int64_initializer(3), axes)
    yield make_probe(f"axes/Unsqueeze {axis}", "Unsqueeze", x, axes)
    yield make_probe(f"axes/Squeeze {axis}", "Squeeze", draw.floats(1, 1, 1), axes)
    yield make_probe(f"axes/Pad {axis}", "Pad", x, int64_initializer(1, 2), None, axes, opset=18)
    yield make_probe(f"axes/CenterCropPad {axis}", "CenterCropPad", x, int64_initializer(2), opset=18, axes=[axis])
    sizes = None, None, int64_initializer(8)
    yield make_probe(f"axes/Resize {axis}", "Resize", x, *sizes, opset=18, mode="nearest", axes=[axis])
