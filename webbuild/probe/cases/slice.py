"""Slice: steps, ends, axes; Split and Trilu."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.draw import Draw
from webbuild.probe.node import Probe, fixed, int64, node, single

_FAR = 2**63 - 1
_STEPS = {
    "step 2": (0, 9, 2),
    "step 2 from inside": (1, 8, 2),
    "step 3 past the end": (0, _FAR, 3),
    "step -1 all": (-1, -_FAR, -1),
    "step -1 from inside": (6, -_FAR, -1),
    "step -1 to inside": (-1, 2, -1),
    "step -2 all": (-1, -_FAR, -2),
    "step -2 from inside": (7, 1, -2),
    "step -3 from past the end": (_FAR, -_FAR, -3),
}


def cases(draw: Draw) -> Iterator[Probe]:
    """Yield the probes."""
    x = draw.floats(9, 4)
    for what, (start, end, step) in _STEPS.items():
        yield node(f"slice/{what}", "Slice", x, int64(start), int64(end), int64(0), int64(step))
        yield node(
            f"slice/{what}, last axis", "Slice", draw.floats(4, 9), int64(start), int64(end), int64(1), int64(step)
        )
    yield node("slice/two negative steps", "Slice", x, int64(-1, -1), int64(-_FAR, -_FAR), int64(0, 1), int64(-1, -1))
    yield node("slice/steps of both signs", "Slice", x, int64(5, 0), int64(0, 4), int64(0, 1), int64(-2, 2))
    yield node("slice/end INT64_MAX", "Slice", x, int64(2), int64(_FAR), int64(0))
    yield node("slice/end INT32_MAX", "Slice", x, int64(2), int64(2**31 - 1), int64(0))
    yield node("slice/negative start and end", "Slice", x, int64(-3), int64(-1), int64(-2))
    yield node("slice/start past the end", "Slice", x, int64(20), int64(30), int64(0))
    yield node("slice/without axes", "Slice", x, int64(1, 1), int64(3, 3))
    yield node("slice/fed", "Slice", x, np.array([1]), np.array([3]), np.array([0]))
    yield node("slice/negative step fed", "Slice", x, np.array([6]), np.array([1]), np.array([0]), np.array([-2]))
    narrow = [fixed(np.array([value], np.int32)) for value in (1, 3, 0)]
    yield node("slice/int32 bounds", "Slice", x, *narrow)
    yield node("slice/opset 9", "Slice", x, opset=9, starts=[1], ends=[3], axes=[0])
    for dtype in (np.int32, np.int64, np.uint8, np.bool_):
        data = draw.ints(9, 4, high=2, dtype=dtype)
        yield node(f"slice/{np.dtype(dtype).name}", "Slice", data, int64(1), int64(3), int64(0))
    yield from _split(draw)
    yield from _triangle(draw)


def _split(draw: Draw) -> Iterator[Probe]:
    x = draw.floats(7, 3)
    yield node("slice/Split uneven", "Split", x, int64(3, 4), outputs=2, axis=0)
    yield node("slice/Split num_outputs that does not divide", "Split", x, outputs=3, opset=18, axis=0, num_outputs=3)
    yield node("slice/Split num_outputs", "Split", draw.floats(6, 3), outputs=3, opset=18, axis=0, num_outputs=3)
    yield node("slice/Split without sizes", "Split", draw.floats(3, 6), outputs=3, opset=13, axis=-1)
    yield node("slice/Split opset 11", "Split", x, outputs=2, opset=11, axis=0, split=[3, 4])
    yield node("slice/Split sizes fed", "Split", x, np.array([3, 4]), outputs=2, axis=0)
    yield node("slice/Split one", "Split", x, int64(7), outputs=1, axis=0)
    yield node("slice/Split int64", "Split", draw.ints(6, 3, dtype=np.int64), int64(2, 4), outputs=2, axis=0)


def _triangle(draw: Draw) -> Iterator[Probe]:
    x = draw.floats(2, 4, 5)
    for upper in (0, 1):
        what = "upper" if upper else "lower"
        yield node(f"slice/Trilu {what}", "Trilu", x, upper=upper)
        for k in (-6, -1, 1, 7):
            yield node(f"slice/Trilu {what} k {k}", "Trilu", x, single(k, np.int64), upper=upper)
        yield node(f"slice/Trilu {what} k fed", "Trilu", x, np.array(1), upper=upper)
        yield node(f"slice/Trilu {what} int64", "Trilu", draw.ints(4, 4, dtype=np.int64), upper=upper)
        yield node(f"slice/Trilu {what} bool", "Trilu", draw.bools(4, 4), upper=upper)
