"""Sliding windows: combinations of pads, ceil_mode, dilations, strides and ranks.

`pool`, `conv` and `conv_transpose` test each attribute alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from webbuild.probe.probe_model import Initializer, Probe, make_probe
from webbuild.probe.random_data import RandomData

_POOLS = {"MaxPool": 12, "AveragePool": 19, "LpPool": 18}


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for op, opset in _POOLS.items():
        yield from _pools(draw, op, opset)
    yield from _average(draw)
    yield from _conv(draw)
    yield from _transposed(draw)


def _pools(draw: RandomData, op: str, opset: int) -> Iterator[Probe]:
    for size, kernel, stride in ((7, 2, 3), (8, 3, 2), (9, 3, 3), (10, 4, 3), (11, 2, 2)):
        form: dict[str, Any] = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "opset": opset}
        x, what = draw.floats(1, 5, size, size + 1), f"{op} {kernel} by {stride} of {size}"
        yield make_probe(f"{what}, ceil_mode", x, ceil_mode=1, **form)
        yield make_probe(f"{what}, ceil_mode, pads", x, ceil_mode=1, pads=[1] * 4, **form)
        for padding in ("SAME_UPPER", "SAME_LOWER"):
            yield make_probe(f"{what}, {padding}", x, auto_pad=padding, **form)
    for rank, size in ((1, 9), (3, 6)):
        x = draw.floats(1, 3, *[size] * rank)
        form = {"kernel_shape": [3] * rank, "strides": [2] * rank, "opset": opset}
        yield make_probe(f"{op} {rank}-D ceil_mode", x, ceil_mode=1, **form)
        yield make_probe(f"{op} {rank}-D SAME_UPPER", x, auto_pad="SAME_UPPER", **form)
        yield make_probe(f"{op} {rank}-D pads of one side", x, pads=[0] * rank + [1] * rank, **form)
    dilated: dict[str, Any] = {"kernel_shape": [2, 3], "dilations": [2, 1], "opset": opset}
    yield make_probe(f"{op} uneven, dilations", draw.floats(2, 3, 8, 9), **dilated)
    yield make_probe(f"{op} uneven, dilations, pads", draw.floats(2, 3, 8, 9), pads=[1, 0, 1, 1], **dilated)


def _average(draw: RandomData) -> Iterator[Probe]:
    form: dict[str, Any] = {"kernel_shape": [3, 3], "strides": [2, 2], "opset": 19}
    for counted, ceil in product((0, 1), (0, 1)):
        what = f"AveragePool{' count_include_pad' * counted}{' ceil_mode' * ceil}"
        attributes: dict[str, Any] = {"count_include_pad": counted, "ceil_mode": ceil, **form}
        yield make_probe(f"{what} pads of one side", draw.floats(1, 3, 8, 8), pads=[0, 0, 1, 1], **attributes)
        yield make_probe(f"{what} SAME_UPPER", draw.floats(1, 3, 7, 8), auto_pad="SAME_UPPER", **attributes)


def _conv(draw: RandomData) -> Iterator[Probe]:
    for padding, stride in product(("SAME_UPPER", "SAME_LOWER", "VALID"), (1, 2, 3)):
        for kernel, size in ((2, 9), (3, 10)):
            x, w = draw.floats(1, 5, size, size + 1), Initializer(draw.floats(7, 5, kernel, kernel))
            form: dict[str, Any] = {"strides": [stride] * 2, "dilations": [1, 1], "auto_pad": padding}
            yield make_probe(f"Conv {kernel}x{kernel} {padding} {stride}", x, w, slack=3, **form)
    for rank, size in ((1, 9), (3, 6)):
        x, w = draw.floats(1, 4, *[size] * rank), Initializer(draw.floats(5, 4, *[3] * rank))
        for padding in ("SAME_UPPER", "SAME_LOWER"):
            form = {"strides": [2] * rank, "dilations": [1] * rank, "auto_pad": padding}
            yield make_probe(f"Conv {rank}-D {padding}", x, w, slack=3, **form)
    x, w = draw.floats(1, 6, 9, 9), Initializer(draw.floats(6, 2, 3, 3))
    for stride, dilation in ((1, 2), (2, 1), (3, 2)):
        form = {"group": 3, "strides": [stride] * 2, "dilations": [dilation] * 2, "pads": [2] * 4}
        yield make_probe(f"Conv 3 groups {stride} {dilation}", x, w, slack=3, **form)
        form["group"] = 6
        yield make_probe(f"Conv depthwise {stride} {dilation}", x, Initializer(w.value[:, :1]), **form)


def _transposed(draw: RandomData) -> Iterator[Probe]:
    for padding, stride in product(("SAME_UPPER", "SAME_LOWER"), (2, 3)):
        for kernel in (2, 3, 4):
            x, w = draw.floats(1, 5, 6, 7), Initializer(draw.floats(5, 7, kernel, kernel))
            what = f"ConvTranspose {kernel}x{kernel} {padding} {stride}"
            form: dict[str, Any] = {"strides": [stride] * 2, "auto_pad": padding}
            yield make_probe(what, x, w, slack=3, **form)
    for group, dilation in ((1, 2), (2, 1), (2, 2), (6, 1)):
        x, w = draw.floats(2, 6, 5, 6), Initializer(draw.floats(6, 12 // group, 3, 3))
        form = {"group": group, "strides": [2, 2], "dilations": [dilation] * 2, "pads": [1] * 4}
        for extra in (0, 1):
            what = f"ConvTranspose {group} groups {dilation}{' output_padding' * extra}"
            yield make_probe(what, x, w, slack=3, output_padding=[extra] * 2, **form)
    line, filters = draw.floats(1, 4, 9), Initializer(draw.floats(4, 2, 3))
    yield make_probe("ConvTranspose 1-D 2 groups", line, filters, group=2, strides=[2], slack=3)
    yield make_probe("ConvTranspose 1-D dilations", line, filters, dilations=[2], slack=3)
