"""Convolution: channel counts that are not multiples of 4, with strides, kernels, pads and ranks.

A shader reads four, three or one channels at a time; if it chooses the wrong number, the output is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webbuild.probe.probe_model import Initializer, Probe, make_probe
from webbuild.probe.random_data import RandomData

_IN = (3, 5, 6, 7, 9, 10, 11, 15, 27, 33, 39)
_FORMS: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "3x3 strided": ((3, 3), {"strides": [2, 2]}),
    "3x3 padded": ((3, 3), {"pads": [1, 1, 1, 1]}),
    "5x5": ((5, 5), {}),
    "1x3": ((1, 3), {}),
    "2x2 strided": ((2, 2), {"strides": [2, 2]}),
    "3x3 dilated": ((3, 3), {"dilations": [2, 2]}),
    "1x1 strided": ((1, 1), {"strides": [2, 2]}),
}


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for inputs in _IN:
        for what, (kernel, attributes) in _FORMS.items():
            yield _conv(draw, what, inputs, 12, kernel, **attributes)
        for outputs in (5, 16, 17, 32):
            yield _conv(draw, "3x3", inputs, outputs, (3, 3))
    for inputs in (3, 6, 9, 15):
        yield _conv(draw, "batch 3, 3x3", inputs, 8, (3, 3), batch=3)
        yield _conv(draw, "1-D strided", inputs, 8, (3,), strides=[2])
        yield _conv(draw, "3-D", inputs, 4, (2, 2, 2))
        x, w = draw.floats(1, inputs, 6, 7), Initializer(draw.floats(inputs, 8, 3, 3))
        what = f"transposed {inputs} to 8"
        yield make_probe(what, x, w, op="ConvTranspose", strides=[2, 2], pads=[1] * 4, dilations=[1, 1], slack=3)
    for group, inputs, outputs in ((2, 6, 8), (2, 12, 16), (2, 18, 8), (3, 9, 12), (3, 18, 24), (3, 27, 12)):
        yield _conv(draw, f"{group} groups", inputs, outputs, (3, 3), group=group)
        yield _conv(draw, f"{group} groups, strided", inputs, outputs, (3, 3), group=group, strides=[2, 2])


def _conv(
    draw: RandomData, what: str, inputs: int, outputs: int, kernel: tuple[int, ...], batch: int = 1, **changed: Any
) -> Probe:
    """Return a Conv with explicit default attributes: one build throws without them."""
    rank, group = len(kernel), changed.get("group", 1)
    x, w = draw.floats(batch, inputs, *(9, 10, 8)[:rank]), draw.floats(outputs, inputs // group, *kernel)
    attributes: dict[str, Any] = {"dilations": [1] * rank, "strides": [1] * rank, "pads": [0] * (2 * rank), **changed}
    name = f"{what} {inputs} to {outputs}"
    return make_probe(name, x, Initializer(w), Initializer(draw.floats(outputs)), op="Conv", slack=5, **attributes)
