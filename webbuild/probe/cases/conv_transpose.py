"""Transposed convolution: attributes that determine the output size, groups, dilations, ranks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from webbuild.probe.probe_model import Initializer, Probe, make_probe
from webbuild.probe.random_data import RandomData

_conv_transpose = partial(make_probe, op="ConvTranspose")
_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "plain": {},
    "defaults written": {"dilations": [1, 1], "strides": [1, 1], "pads": [0, 0, 0, 0], "group": 1},
    "pads": {"pads": [1, 1, 1, 1], "strides": [2, 2]},
    "pads of one side": {"pads": [0, 0, 1, 1], "strides": [2, 2]},
    "output_padding": {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]},
    "output_shape": {"strides": [2, 2], "output_shape": [16, 16]},
    "dilations": {"dilations": [2, 2]},
    "dilations, strided": {"dilations": [2, 2], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    "SAME_UPPER": {"strides": [2, 2], "auto_pad": "SAME_UPPER"},
    "SAME_LOWER": {"strides": [2, 2], "auto_pad": "SAME_LOWER"},
    "VALID": {"strides": [2, 2], "auto_pad": "VALID"},
    "uneven strides": {"strides": [2, 1]},
}
_WRITTEN: dict[str, Any] = {"dilations": [1, 1], "strides": [2, 2], "pads": [0, 0, 0, 0]}
_GROUPS = ((2, 4, 6), (2, 8, 8), (3, 6, 9), (4, 8, 24), (4, 16, 28), (8, 8, 8), (4, 4, 8))


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for what, attributes in _ATTRIBUTES.items():
        x, w, b = draw.floats(1, 4, 8, 8), draw.floats(4, 6, 3, 3), draw.floats(6)
        yield _conv_transpose(what, x, Initializer(w), Initializer(b), **attributes)
    for inputs in (1, 3, 4, 5, 6, 9, 16):
        for outputs in (1, 3, 4, 7, 8):
            x, w = draw.floats(1, inputs, 5, 5), draw.floats(inputs, outputs, 2, 2)
            what = f"2x2 channels {inputs} to {outputs}"
            yield _conv_transpose(what, x, Initializer(w), Initializer(draw.floats(outputs)), **_WRITTEN, slack=3)
    for group, inputs, outputs in _GROUPS:
        x, w = draw.floats(1, inputs, 6, 6), draw.floats(inputs, outputs // group, 4, 4)
        what = f"{group} groups {inputs} to {outputs}"
        yield _conv_transpose(what, x, Initializer(w), group=group, **_WRITTEN, slack=3)
    yield from _ranks(draw)
    x, w = draw.floats(1, 4, 8, 8), draw.floats(4, 6, 3, 3)
    yield _conv_transpose("weights fed", x, w, draw.floats(6))
    yield _conv_transpose("opset 22", x, Initializer(w), opset=22)


def _ranks(draw: RandomData) -> Iterator[Probe]:
    line, filters = draw.floats(1, 4, 9), Initializer(draw.floats(4, 6, 3))
    yield _conv_transpose("1-D", line, filters, Initializer(draw.floats(6)))
    yield _conv_transpose("1-D strided", line, filters, strides=[2], pads=[1, 1])
    attributes: dict[str, Any] = {"strides": [2], "pads": [1, 1], "output_padding": [1]}
    yield _conv_transpose("1-D output_padding", line, filters, **attributes)
    x, w = draw.floats(1, 4, 4, 5, 6), Initializer(draw.floats(4, 6, 3, 3, 3))
    yield _conv_transpose("3-D", x, w, Initializer(draw.floats(6)), slack=3)
    yield _conv_transpose("3-D strided", x, w, strides=[2] * 3, pads=[1] * 6, slack=3)
    yield _conv_transpose("3-D kernel as stride", x, Initializer(draw.floats(4, 6, 2, 2, 2)), strides=[2] * 3)
