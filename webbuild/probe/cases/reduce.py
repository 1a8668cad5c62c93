"""Reductions: over one axis, several, all and none, and of NaN and infinities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64s, make_probe
from webbuild.probe.random_data import RandomData

_OPS = """
ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare
"""
_AXES: dict[str, tuple[list[int], dict[str, Any]]] = {
    "first axis": ([0], {}),
    "middle axis": ([1], {}),
    "last axis": ([2], {}),
    "negative axis, dropped": ([-1], {"keepdims": 0}),
    "two apart": ([0, 2], {}),
    "two first": ([0, 1], {"keepdims": 0}),
    "all": ([0, 1, 2], {"keepdims": 0}),
}


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for op in _OPS.split():
        x = draw.positive(3, 4, 5)
        for what, (axes, attributes) in _AXES.items():
            yield make_probe(f"{op} {what}", x, int64s(*axes), opset=18, **attributes)
        yield make_probe(f"{op} as an attribute", x, opset=11, axes=[1])
        yield make_probe(f"{op} without axes", x, opset=18)
        yield make_probe(f"{op} empty axes", x, int64s(), opset=18)
        yield make_probe(f"{op} empty axes, no-op", x, int64s(), opset=18, noop_with_empty_axes=1)
        yield make_probe(f"{op} without axes, no-op", x, opset=18, noop_with_empty_axes=1)
        yield make_probe(f"{op} axes fed", x, np.array([1]), opset=18)
        yield make_probe(f"{op} scalar", draw.positive(), opset=18, keepdims=0)
        yield make_probe(f"{op} one element", draw.positive(1, 1), int64s(1), opset=18)
        yield make_probe(f"{op} int32", draw.ints(3, 4, low=1, high=4), int64s(1), opset=18)
        yield make_probe(f"{op} int64", draw.ints(3, 4, low=1, high=4, dtype=np.int64), int64s(1), opset=18)
        yield make_probe(f"{op} 5000", draw.uniform(0.999, 1.001, 2, 5000), int64s(1), opset=18, slack=5)
        yield make_probe(f"{op} map", draw.positive(1, 3, 9, 9), int64s(2, 3), opset=18)
        infinite = np.array([[np.inf, 1, 2], [-np.inf, 1, 2], [np.nan, 1, 2]], np.float32)
        yield make_probe(f"{op} not finite", infinite, int64s(1), opset=18)
    negative = -draw.positive(3, 4)
    yield make_probe("ReduceMax below zero", negative, int64s(1), opset=18)
    yield make_probe("ReduceMin above zero", -negative, int64s(1), opset=18)
    yield make_probe("ReduceLogSumExp large", draw.positive(2, 4) * 200, int64s(1), opset=18)
    yield make_probe("ReduceMax bool", draw.bools(3, 4), int64s(1), opset=20)
