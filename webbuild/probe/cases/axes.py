"""Axes counted from the end, wherever an operator names one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.draw import Draw
from webbuild.probe.node import Probe, fixed, int64, node, single

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


def cases(draw: Draw) -> Iterator[Probe]:
    """Yield the probes."""
    for axis in (-1, -2, -3):
        yield from _attribute(draw, axis)
        yield from _input(draw, axis)


def _attribute(draw: Draw, axis: int) -> Iterator[Probe]:
    x = draw.floats(3, 4, 6)
    for op, attributes in _ALONG.items():
        yield node(f"axes/{op} {axis}", op, x, axis=axis, **attributes)
    scale = draw.floats(*x.shape[axis:])
    yield node(f"axes/LayerNormalization {axis}", "LayerNormalization", x, scale, axis=axis)
    yield node(f"axes/RMSNormalization {axis}", "RMSNormalization", x, scale, opset=23, axis=axis)
    yield node(f"axes/Concat {axis}", "Concat", x, x, axis=axis)
    yield node(f"axes/Gather {axis}", "Gather", x, np.array([2, 0]), axis=axis)
    places = np.stack([draw.order(3)[:2] for _ in range(6)]).T
    places = np.moveaxis(np.broadcast_to(places[:, :3, None], (2, 3, 3)), 0, axis)
    yield node(f"axes/GatherElements {axis}", "GatherElements", x, np.ascontiguousarray(places), axis=axis)
    updates = draw.floats(*places.shape)
    yield node(f"axes/ScatterElements {axis}", "ScatterElements", x, np.ascontiguousarray(places), updates, axis=axis)
    half = x.shape[axis] // 2
    sizes = int64(half, x.shape[axis] - half)
    yield node(f"axes/Split {axis}", "Split", x, sizes, outputs=2, axis=axis)
    yield node(f"axes/TopK {axis}", "TopK", x, int64(2), outputs=2, axis=axis)
    chosen = np.arange(x.shape[axis]) % 2 == 0
    yield node(f"axes/Compress {axis}", "Compress", x, chosen, axis=axis)
    depth = single(5, np.int64), fixed(np.array([0, 1], np.float32))
    yield node(f"axes/OneHot {axis}", "OneHot", draw.ints(2, 3, high=5, dtype=np.int64), *depth, axis=axis)
    whole = draw.ints(3, 4, 6, high=255, dtype=np.uint8)
    scales = fixed(draw.positive(x.shape[axis])), fixed(draw.ints(x.shape[axis], dtype=np.uint8))
    yield node(f"axes/DequantizeLinear {axis}", "DequantizeLinear", whole, *scales, axis=axis)
    yield node(f"axes/QuantizeLinear {axis}", "QuantizeLinear", x, *scales, axis=axis)
    yield node(f"axes/Softmax {axis} opset 11", "Softmax", x, opset=11, axis=axis)


def _input(draw: Draw, axis: int) -> Iterator[Probe]:
    x, axes = draw.positive(3, 4, 6), int64(axis)
    for op in _REDUCTIONS:
        yield node(f"axes/{op} {axis}", op, x, axes, opset=18, keepdims=0)
        yield node(f"axes/{op} {axis} as an attribute", op, x, opset=11, axes=[axis])
    yield node(f"axes/CumSum {axis}", "CumSum", x, single(axis, np.int64))
    yield node(f"axes/Slice {axis}", "Slice", x, int64(1), int64(3), axes)
    yield node(f"axes/Unsqueeze {axis}", "Unsqueeze", x, axes)
    yield node(f"axes/Squeeze {axis}", "Squeeze", draw.floats(1, 1, 1), axes)
    yield node(f"axes/Pad {axis}", "Pad", x, int64(1, 2), None, axes, opset=18)
    yield node(f"axes/CenterCropPad {axis}", "CenterCropPad", x, int64(2), opset=18, axes=[axis])
    sizes = None, None, int64(8)
    yield node(f"axes/Resize {axis}", "Resize", x, *sizes, opset=18, mode="nearest", axes=[axis])
