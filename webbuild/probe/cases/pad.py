"""Pad: mode, negative pads, pads beyond the size, ranks, values and element types."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64s, make_probe, scalar
from webbuild.probe.random_data import RandomData

_pad = partial(make_probe, op="Pad")


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for mode in ("constant", "reflect", "edge", "wrap"):
        x = draw.floats(1, 2, 5, 5)
        form: dict[str, Any] = {"mode": mode, "opset": 19 if mode == "wrap" else 18}
        yield _pad(mode, x, int64s(0, 0, 2, 1, 0, 0, 1, 2), **form)
        yield _pad(f"{mode} one end", x, int64s(0, 0, 0, 0, 0, 0, 1, 1), **form)
        yield _pad(f"{mode} axes", x, int64s(2, 1, 1, 2), None, int64s(2, 3), **form)
        yield _pad(f"{mode} negative axes", x, int64s(2, 1, 1, 2), None, int64s(-2, -1), **form)
        yield _pad(f"{mode} negative", x, int64s(0, 0, -1, -1, 0, 0, -1, -1), **form)
        yield _pad(f"{mode} negative and positive", x, int64s(0, 0, -1, 2, 0, 0, 1, -1), **form)
        yield _pad(f"{mode} beyond the size", draw.floats(1, 2, 3, 3), int64s(0, 0, 5, 5, 0, 0, 5, 5), **form)
        yield _pad(f"{mode} nothing", x, int64s(*[0] * 8), **form)
        yield _pad(f"{mode} rank 1", draw.floats(5), int64s(2, 2), **form)
        yield _pad(f"{mode} rank 3", draw.floats(2, 3, 5), int64s(0, 1, 2, 0, 1, 1), **form)
        yield _pad(f"{mode} rank 5", draw.floats(1, 2, 3, 3, 3), int64s(0, 0, 1, 1, 1, 0, 0, 1, 1, 1), **form)
        yield _pad(f"{mode} fed", x, np.array([0, 0, 2, 1, 0, 0, 1, 2]), **form)
        yield _pad(f"{mode} int32", draw.ints(4, 5), int64s(0, 1, 1, 0), **form)
        yield _pad(f"{mode} bool", draw.bools(4, 5), int64s(0, 1, 1, 0), **form)
    x = draw.floats(1, 2, 5, 5)
    around = int64s(0, 0, 2, 1, 0, 0, 1, 2)
    yield _pad("constant value", x, around, scalar(3))
    yield _pad("constant value fed", x, around, np.array(3, np.float32))
    yield _pad("constant value of rank 1", x, around, np.array([3], np.float32))
    yield _pad("constant -inf", x, around, scalar(-np.inf))
    yield _pad("constant int32 value", draw.ints(2, 3), int64s(0, 1, 1, 0), scalar(7, np.int32))
    yield _pad("constant int64 value", draw.ints(2, 3, dtype=np.int64), int64s(0, 1, 1, 0), scalar(7, np.int64))
    yield _pad("reflect opset 10", x, opset=10, pads=[0, 0, 1, 1, 0, 0, 1, 1], mode="reflect")
    yield _pad("constant opset 10", x, opset=10, pads=[0, 0, 1, 1, 0, 0, 1, 1], value=2.0)
