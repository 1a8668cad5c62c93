"""Convolution: channel counts, groups, borders, dilations, ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webbuild.probe.draw import Draw
from webbuild.probe.node import Probe, fixed, node

_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "plain": {},
    "defaults written": {"dilations": [1, 1], "strides": [1, 1], "pads": [0, 0, 0, 0], "group": 1},
    "pads": {"pads": [1, 1, 1, 1]},
    "pads of one side": {"pads": [0, 1, 1, 0], "strides": [2, 2]},
    "uneven strides": {"strides": [2, 1]},
    "dilations": {"dilations": [2, 2]},
    "uneven dilations": {"dilations": [1, 2], "pads": [1, 2, 1, 2]},
    "SAME_UPPER": {"strides": [2, 2], "auto_pad": "SAME_UPPER"},
    "SAME_LOWER": {"strides": [2, 2], "auto_pad": "SAME_LOWER"},
    "VALID": {"strides": [2, 2], "auto_pad": "VALID"},
}
_IN = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 18, 21, 24)
_OUT = (1, 3, 4, 6, 7, 8)
_GROUPS = {
    2: ((4, 6), (4, 8), (4, 12), (6, 6), (6, 8), (8, 10), (32, 62)),
    3: ((6, 9), (6, 12), (9, 18)),
    4: ((8, 8), (8, 16), (8, 24), (16, 28), (16, 32)),
    5: ((10, 20),),
    8: ((16, 24), (32, 136)),
}
"""Groups -> (input channels, output channels)."""


def cases(draw: Draw) -> Iterator[Probe]:
    """Yield the probes."""
    for what, attributes in _ATTRIBUTES.items():
        x, w, b = draw.floats(1, 4, 9, 9), draw.floats(6, 4, 3, 3), draw.floats(6)
        yield node(f"conv/{what}", "Conv", x, fixed(w), fixed(b), **attributes)
    yield from _channels(draw)
    yield from _groups(draw)
    yield from _kernels(draw)
    yield from _ranks(draw)
    x, w = draw.floats(1, 4, 8, 8), draw.floats(6, 4, 3, 3)
    yield node("conv/weights fed", "Conv", x, w, draw.floats(6))
    yield node("conv/weights fed, opset 22", "Conv", x, w, draw.floats(6), opset=22)
    yield node("conv/without bias", "Conv", x, fixed(w))


def _channels(draw: Draw) -> Iterator[Probe]:
    for inputs in _IN:
        for outputs in _OUT:
            x, w = draw.floats(1, inputs, 6, 7), fixed(draw.floats(outputs, inputs, 3, 3))
            yield node(f"conv/3x3 channels {inputs} to {outputs}", "Conv", x, w, fixed(draw.floats(outputs)), slack=3)
        for outputs in (4, 6, 7):
            x, w = draw.floats(1, inputs, 6, 7), fixed(draw.floats(outputs, inputs, 1, 1))
            yield node(f"conv/1x1 channels {inputs} to {outputs}", "Conv", x, w, fixed(draw.floats(outputs)), slack=3)
    for inputs in (3, 4, 6, 9):
        x, w = draw.floats(1, inputs, 11), fixed(draw.floats(8, inputs, 3))
        yield node(f"conv/1-D channels {inputs} to 8", "Conv", x, w, slack=3)
        x, w = draw.floats(2, inputs, 8, 8), fixed(draw.floats(8, inputs, 3, 3))
        yield node(f"conv/3x3 strided channels {inputs} to 8, batch 2", "Conv", x, w, strides=[2, 2], slack=3)
    x, w = draw.floats(1, 64, 9, 9), fixed(draw.floats(96, 64, 3, 3))
    yield node("conv/3x3 channels 64 to 96", "Conv", x, w, fixed(draw.floats(96)), pads=[1, 1, 1, 1], slack=3)


def _groups(draw: Draw) -> Iterator[Probe]:
    for group, (inputs, outputs) in ((group, pair) for group, pairs in _GROUPS.items() for pair in pairs):
        x, w = draw.floats(1, inputs, 6, 6), fixed(draw.floats(outputs, inputs // group, 3, 3))
        what = f"conv/{group} groups {inputs} to {outputs}"
        yield node(what, "Conv", x, w, fixed(draw.floats(outputs)), group=group, slack=3)
    for channels in (1, 3, 4, 5, 6, 8):
        x, w = draw.floats(1, channels, 7, 7), fixed(draw.floats(channels, 1, 3, 3))
        yield node(f"conv/depthwise {channels}", "Conv", x, w, group=channels, pads=[1, 1, 1, 1])
        x, w = draw.floats(1, channels, 7, 7), fixed(draw.floats(2 * channels, 1, 3, 3))
        yield node(f"conv/depthwise {channels} to twice as many", "Conv", x, w, group=channels)
    x, w = draw.floats(1, 4, 9, 9), fixed(draw.floats(4, 1, 3, 3))
    yield node("conv/depthwise dilations", "Conv", x, w, group=4, dilations=[2, 2])
    yield node("conv/depthwise strided", "Conv", x, w, group=4, strides=[2, 2], pads=[1, 1, 1, 1])
    x, w = draw.floats(1, 4, 9), fixed(draw.floats(4, 1, 3))
    yield node("conv/depthwise 1-D", "Conv", x, w, group=4, pads=[1, 1])
    x, w = draw.floats(1, 4, 9), fixed(draw.floats(6, 2, 3))
    yield node("conv/2 groups 1-D", "Conv", x, w, group=2, pads=[1, 1])


def _kernels(draw: Draw) -> Iterator[Probe]:
    x = draw.floats(1, 5, 9, 9)
    yield node("conv/kernel of the input's size", "Conv", x, fixed(draw.floats(7, 5, 9, 9)), slack=3)
    yield node("conv/1xN", "Conv", x, fixed(draw.floats(7, 5, 1, 5)), pads=[0, 2, 0, 2], slack=3)
    yield node("conv/Nx1", "Conv", x, fixed(draw.floats(7, 5, 5, 1)), pads=[2, 0, 2, 0], slack=3)
    yield node("conv/1x1 strided", "Conv", x, fixed(draw.floats(6, 5, 1, 1)), strides=[2, 2], slack=3)
    yield node("conv/1x1 padded", "Conv", x, fixed(draw.floats(6, 5, 1, 1)), pads=[1, 1, 1, 1], slack=3)
    yield node("conv/2x2 even kernel", "Conv", x, fixed(draw.floats(8, 5, 2, 2)), slack=3)
    stem = draw.floats(1, 3, 20, 20)
    yield node("conv/7x7 strided", "Conv", stem, fixed(draw.floats(16, 3, 7, 7)), strides=[2, 2], pads=[3] * 4, slack=3)


def _ranks(draw: Draw) -> Iterator[Probe]:
    line, filters = draw.floats(1, 4, 9), fixed(draw.floats(6, 4, 3))
    yield node("conv/1-D", "Conv", line, filters, fixed(draw.floats(6)))
    yield node("conv/1-D strided, padded", "Conv", line, filters, strides=[2], pads=[1, 1])
    yield node("conv/1-D dilations", "Conv", line, filters, dilations=[2])
    x, w, b = draw.floats(1, 4, 5, 6, 7), fixed(draw.floats(6, 4, 3, 3, 3)), fixed(draw.floats(6))
    yield node("conv/3-D", "Conv", x, w, b, slack=3)
    written: dict[str, Any] = {"dilations": [1] * 3, "strides": [1] * 3}
    yield node("conv/3-D defaults written", "Conv", x, w, b, pads=[0] * 6, **written, slack=3)
    yield node("conv/3-D pads", "Conv", x, w, pads=[1] * 6, slack=3)
    yield node("conv/3-D pads of one side", "Conv", x, w, pads=[0, 1, 1, 1, 0, 1], **written, slack=3)
    yield node("conv/3-D strided", "Conv", x, w, b, strides=[2] * 3, pads=[1] * 6, slack=3)
    yield node("conv/3-D dilations", "Conv", draw.floats(1, 4, 7, 8, 9), w, b, dilations=[2] * 3, slack=3)
    yield node("conv/3-D 2 groups", "Conv", x, fixed(draw.floats(6, 2, 3, 3, 3)), b, group=2, slack=3)
    yield node("conv/3-D 1x1x1", "Conv", x, fixed(draw.floats(6, 4, 1, 1, 1)), b)
    yield node("conv/3-D batch 2", "Conv", draw.floats(2, 4, 5, 6, 7), w, b, pads=[1] * 6, slack=3)
