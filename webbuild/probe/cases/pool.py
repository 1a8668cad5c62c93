"""Pooling: padding, ceil_mode, dilations, ranks, indices, and global pooling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webbuild.probe.probe_model import Probe, make_probe
from webbuild.probe.random_data import RandomData

_VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {"kernel_shape": [2, 2], "strides": [2, 2]},
    "overlapping": {"kernel_shape": [3, 3]},
    "pads": {"kernel_shape": [5, 5], "pads": [2, 2, 2, 2]},
    "pads of one side": {"kernel_shape": [3, 3], "pads": [0, 0, 1, 1], "strides": [2, 2]},
    "ceil_mode": {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
    "ceil_mode that changes no size": {"kernel_shape": [3, 3], "strides": [1, 1], "ceil_mode": 1},
    "ceil_mode, pads": {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1, "pads": [0, 0, 1, 1]},
    "ceil_mode, stride above kernel": {"kernel_shape": [2, 2], "strides": [3, 3], "ceil_mode": 1},
    "SAME_UPPER": {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
    "SAME_LOWER": {"kernel_shape": [2, 2], "strides": [2, 2], "auto_pad": "SAME_LOWER"},
    "VALID": {"kernel_shape": [2, 2], "strides": [2, 2], "auto_pad": "VALID"},
}
_CHANNELS = (1, 2, 4, 5, 6)


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for op in ("MaxPool", "AveragePool", "LpPool"):
        opset = 18 if op == "LpPool" else 12 if op == "MaxPool" else 11
        for what, attributes in _VARIANTS.items():
            yield make_probe(f"{op} {what}", draw.floats(1, 3, 7, 7), opset=opset, **attributes)
        yield make_probe(f"{op} 1-D", draw.floats(1, 3, 9), opset=opset, kernel_shape=[3], strides=[2])
        yield make_probe(f"{op} 3-D", draw.floats(1, 3, 6, 6, 6), opset=opset, kernel_shape=[2] * 3, strides=[2] * 3)
    for op in ("MaxPool", "AveragePool"):
        for channels in _CHANNELS:
            x = draw.floats(2, channels, 8, 6)
            yield make_probe(f"{op} {channels} channels", x, opset=12, kernel_shape=[2, 2], strides=[2, 2])
        whole = draw.floats(1, 3, 20, 20)
        yield make_probe(f"{op} the whole map", whole, opset=12, kernel_shape=[20, 20])
    yield from _max(draw)
    yield from _average(draw)
    for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
        for rank in (3, 4, 5):
            yield make_probe(f"{op} rank {rank}", draw.floats(1, 3, *[5] * (rank - 2)))


def _max(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(1, 3, 9, 9)
    window: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}
    dilated: dict[str, Any] = {"kernel_shape": [3, 3], "dilations": [2, 2]}
    yield make_probe("MaxPool dilations", x, **dilated)
    yield make_probe("MaxPool dilations, ceil_mode", x, strides=[2, 2], ceil_mode=1, **dilated)
    yield make_probe("MaxPool dilations 1-D", draw.floats(1, 3, 9), kernel_shape=[3], dilations=[2])
    yield make_probe("MaxPool Indices", x, outputs=2, **window)
    yield make_probe("MaxPool Indices, column by column", x, outputs=2, storage_order=1, **window)
    yield make_probe("MaxPool storage_order without Indices", x, storage_order=1, **window)
    yield make_probe("MaxPool all below zero, padded", -abs(x), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    yield make_probe("MaxPool opset 22", x, opset=22, **window)


def _average(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(1, 3, 7, 7)
    window: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}
    yield make_probe("AveragePool count_include_pad", x, **window)
    strided: dict[str, Any] = {**window, "strides": [2, 2], "ceil_mode": 1}
    yield make_probe("AveragePool count_include_pad, ceil_mode", x, **strided)
    yield make_probe("AveragePool count_include_pad, ceil_mode, opset 19", x, opset=19, **strided)
    dilated: dict[str, Any] = {"kernel_shape": [3, 3], "dilations": [2, 2]}
    yield make_probe("AveragePool dilations", draw.floats(1, 3, 9, 9), opset=19, **dilated)
    yield make_probe("AveragePool opset 22", x, opset=22, kernel_shape=[2, 2])
