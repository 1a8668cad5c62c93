"""Transposed convolution: how the output's size comes about, groups, dilations, ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webbuild.probe.probe_model import Probe, initializer, make_probe
from webbuild.probe.random_data import RandomData

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
        yield make_probe(f"conv_transpose/{what}", "ConvTranspose", x, initializer(w), initializer(b), **attributes)
    for inputs in (1, 3, 4, 5, 6, 9, 16):
        for outputs in (1, 3, 4, 7, 8):
            x, w = draw.floats(1, inputs, 5, 5), draw.floats(inputs, outputs, 2, 2)
            what = f"conv_transpose/2x2 channels {inputs} to {outputs}"
            yield make_probe(
                what, "ConvTranspose", x, initializer(w), initializer(draw.floats(outputs)), **_WRITTEN, slack=3
            )
    for group, inputs, outputs in _GROUPS:
        x, w = draw.floats(1, inputs, 6, 6), draw.floats(inputs, outputs // group, 4, 4)
        what = f"conv_transpose/{group} groups {inputs} to {outputs}"
        yield make_probe(what, "ConvTranspose", x, initializer(w), group=group, **_WRITTEN, slack=3)
    yield from _ranks(draw)
    x, w = draw.floats(1, 4, 8, 8), draw.floats(4, 6, 3, 3)
    yield make_probe("conv_transpose/weights fed", "ConvTranspose", x, w, draw.floats(6))
    yield make_probe("conv_transpose/opset 22", "ConvTranspose", x, initializer(w), opset=22)


def _ranks(draw: RandomData) -> Iterator[Probe]:
    line, filters = draw.floats(1, 4, 9), initializer(draw.floats(4, 6, 3))
    yield make_probe("conv_transpose/1-D", "ConvTranspose", line, filters, initializer(draw.floats(6)))
    yield make_probe("conv_transpose/1-D strided", "ConvTranspose", line, filters, strides=[2], pads=[1, 1])
    attributes: dict[str, Any] = {"strides": [2], "pads": [1, 1], "output_padding": [1]}
    yield make_probe("conv_transpose/1-D output_padding", "ConvTranspose", line, filters, **attributes)
    x, w = draw.floats(1, 4, 4, 5, 6), initializer(draw.floats(4, 6, 3, 3, 3))
    yield make_probe("conv_transpose/3-D", "ConvTranspose", x, w, initializer(draw.floats(6)), slack=3)
    yield make_probe("conv_transpose/3-D strided", "ConvTranspose", x, w, strides=[2] * 3, pads=[1] * 6, slack=3)
    yield make_probe(
        "conv_transpose/3-D kernel as stride",
        "ConvTranspose",
        x,
        initializer(draw.floats(4, 6, 2, 2, 2)),
        strides=[2] * 3,
    )
