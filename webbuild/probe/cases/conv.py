"""Convolution: channel counts, groups, borders, dilations, ranks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from webbuild.probe.probe_model import Array, Initializer, Probe, make_probe
from webbuild.probe.random_data import RandomData

_conv = partial(make_probe, op="Conv")
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


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for what, attributes in _ATTRIBUTES.items():
        x, w, b = draw.floats(1, 4, 9, 9), draw.floats(6, 4, 3, 3), draw.floats(6)
        yield _conv(what, x, Initializer(w), Initializer(b), **attributes)
    yield from _channels(draw)
    yield from _groups(draw)
    yield from _kernels(draw)
    yield from _ranks(draw)
    x, w = draw.floats(1, 4, 8, 8), draw.floats(6, 4, 3, 3)
    yield _conv("weights fed", x, w, draw.floats(6))
    yield _conv("weights fed, opset 22", x, w, draw.floats(6), opset=22)
    yield _conv("without bias", x, Initializer(w))


def _channels(draw: RandomData) -> Iterator[Probe]:
    for inputs in _IN:
        for outputs in _OUT:
            x, w, b = draw.floats(1, inputs, 6, 7), draw.floats(outputs, inputs, 3, 3), draw.floats(outputs)
            yield _written(f"3x3 channels {inputs} to {outputs}", x, w, b)
        for outputs in (4, 6, 7):
            x, w, b = draw.floats(1, inputs, 6, 7), draw.floats(outputs, inputs, 1, 1), draw.floats(outputs)
            yield _written(f"1x1 channels {inputs} to {outputs}", x, w, b)
    for inputs in (3, 4, 6, 9):
        x, w = draw.floats(1, inputs, 11), draw.floats(8, inputs, 3)
        yield _written(f"1-D channels {inputs} to 8", x, w)
        x, w = draw.floats(2, inputs, 8, 8), draw.floats(8, inputs, 3, 3)
        yield _written(f"3x3 strided channels {inputs} to 8, batch 2", x, w, strides=[2, 2])
    yield _written("3x3 channels 64 to 96", draw.floats(1, 64, 9, 9), draw.floats(96, 64, 3, 3), pads=[1] * 4)


def _groups(draw: RandomData) -> Iterator[Probe]:
    for group, (inputs, outputs) in ((group, pair) for group, pairs in _GROUPS.items() for pair in pairs):
        x, w, b = draw.floats(1, inputs, 6, 6), draw.floats(outputs, inputs // group, 3, 3), draw.floats(outputs)
        yield _written(f"{group} groups {inputs} to {outputs}", x, w, b, group=group)
    for channels in (1, 3, 4, 5, 6, 8):
        x, w = draw.floats(1, channels, 7, 7), draw.floats(2 * channels, 1, 3, 3)
        yield _written(f"depthwise {channels}", x, w[:channels], group=channels, pads=[1] * 4)
        yield _written(f"depthwise {channels} to twice as many", x, w, group=channels)
    x, w = draw.floats(1, 4, 9, 9), draw.floats(4, 1, 3, 3)
    yield _written("depthwise dilations", x, w, group=4, dilations=[2, 2])
    yield _written("depthwise strided", x, w, group=4, strides=[2, 2])
    line = draw.floats(1, 4, 9)
    yield _written("depthwise 1-D", line, draw.floats(4, 1, 3), group=4, pads=[1, 1])
    yield _written("2 groups 1-D", line, draw.floats(6, 2, 3), group=2, pads=[1, 1])


def _kernels(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(1, 5, 9, 9)
    yield _written("kernel of the input's size", x, draw.floats(7, 5, 9, 9))
    yield _written("1xN", x, draw.floats(7, 5, 1, 5), pads=[0, 2, 0, 2])
    yield _written("Nx1", x, draw.floats(7, 5, 5, 1), pads=[2, 0, 2, 0])
    yield _written("1x1 strided", x, draw.floats(6, 5, 1, 1), strides=[2, 2])
    yield _written("1x1 padded", x, draw.floats(6, 5, 1, 1), pads=[1, 1, 1, 1])
    yield _written("2x2 even kernel", x, draw.floats(8, 5, 2, 2))
    yield _written("7x7 strided", draw.floats(1, 3, 20, 20), draw.floats(16, 3, 7, 7), strides=[2, 2], pads=[3] * 4)


def _written(what: str, x: Array, w: Array, bias: Array | None = None, **changed: Any) -> Probe:
    """Return a Conv with explicit default attributes, as most exporters write: some builds throw without them."""
    rank = x.ndim - 2
    attributes = {"dilations": [1] * rank, "strides": [1] * rank, "pads": [0] * (2 * rank), **changed}
    biases = [] if bias is None else [Initializer(bias)]
    return _conv(what, x, Initializer(w), *biases, slack=3, **attributes)


def _ranks(draw: RandomData) -> Iterator[Probe]:
    line, filters = draw.floats(1, 4, 9), Initializer(draw.floats(6, 4, 3))
    yield _conv("1-D", line, filters, Initializer(draw.floats(6)))
    yield _conv("1-D strided, padded", line, filters, strides=[2], pads=[1, 1])
    yield _conv("1-D dilations", line, filters, dilations=[2])
    x, w, b = draw.floats(1, 4, 5, 6, 7), Initializer(draw.floats(6, 4, 3, 3, 3)), Initializer(draw.floats(6))
    yield _conv("3-D", x, w, b, slack=3)
    written: dict[str, Any] = {"dilations": [1] * 3, "strides": [1] * 3}
    yield _conv("3-D defaults written", x, w, b, pads=[0] * 6, **written, slack=3)
    yield _conv("3-D pads", x, w, pads=[1] * 6, slack=3)
    yield _conv("3-D pads of one side", x, w, pads=[0, 1, 1, 1, 0, 1], **written, slack=3)
    yield _conv("3-D strided", x, w, b, strides=[2] * 3, pads=[1] * 6, slack=3)
    yield _conv("3-D dilations", draw.floats(1, 4, 7, 8, 9), w, b, dilations=[2] * 3, slack=3)
    yield _conv("3-D 2 groups", x, Initializer(draw.floats(6, 2, 3, 3, 3)), b, group=2, slack=3)
    yield _conv("3-D 1x1x1", x, Initializer(draw.floats(6, 4, 1, 1, 1)), b)
    yield _conv("3-D batch 2", draw.floats(2, 4, 5, 6, 7), w, b, pads=[1] * 6, slack=3)
