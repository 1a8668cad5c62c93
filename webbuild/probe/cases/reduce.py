"""Reductions: over one axis, several, all and none, and what a missing value does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64_initializer, make_probe
from webbuild.probe.random_data import RandomData

_OPS = [
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
]
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
    for op in _OPS:
        x = draw.positive(3, 4, 5)
        for what, (axes, attributes) in _AXES.items():
            yield make_probe(f"reduce/{op} {what}", op, x, int64_initializer(*axes), opset=18, **attributes)
        yield make_probe(f"reduce/{op} as an attribute", op, x, opset=11, axes=[1])
        yield make_probe(f"reduce/{op} without axes", op, x, opset=18)
        yield make_probe(f"reduce/{op} empty axes", op, x, int64_initializer(), opset=18)
        yield make_probe(f"reduce/{op} empty axes, no-op", op, x, int64_initializer(), opset=18, noop_with_empty_axes=1)
        yield make_probe(f"reduce/{op} without axes, no-op", op, x, opset=18, noop_with_empty_axes=1)
        yield make_probe(f"reduce/{op} axes fed", op, x, np.array([1]), opset=18)
        yield make_probe(f"reduce/{op} scalar", op, draw.positive(), opset=18, keepdims=0)
        yield make_probe(f"reduce/{op} one element", op, draw.positive(1, 1), int64_initializer(1), opset=18)
        yield make_probe(f"reduce/{op} int32", op, draw.ints(3, 4, low=1, high=4), int64_initializer(1), opset=18)
        yield make_probe(
            f"reduce/{op} int64", op, draw.ints(3, 4, low=1, high=4, dtype=np.int64), int64_initializer(1), opset=18
        )
        long = draw.uniform(0.999, 1.001, 2, 5000)
        yield make_probe(f"reduce/{op} 5000", op, long, int64_initializer(1), opset=18, slack=5)
        yield make_probe(f"reduce/{op} map", op, draw.positive(1, 3, 9, 9), int64_initializer(2, 3), opset=18)
        infinite = np.array([[np.inf, 1, 2], [-np.inf, 1, 2], [np.nan, 1, 2]], np.float32)
        yield make_probe(f"reduce/{op} not finite", op, infinite, int64_initializer(1), opset=18)
    negative = -draw.positive(3, 4)
    yield make_probe("reduce/ReduceMax below zero", "ReduceMax", negative, int64_initializer(1), opset=18)
    yield make_probe("reduce/ReduceMin above zero", "ReduceMin", -negative, int64_initializer(1), opset=18)
    yield make_probe(
        "reduce/ReduceLogSumExp large", "ReduceLogSumExp", draw.positive(2, 4) * 200, int64_initializer(1), opset=18
    )
    yield make_probe("reduce/ReduceMax bool", "ReduceMax", draw.bools(3, 4), int64_initializer(1), opset=20)
