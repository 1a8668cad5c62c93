"""Slice: steps, ends, axes; Split and Trilu."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, int64s, make_probe, scalar
from webbuild.probe.random_data import RandomData

_slice = partial(make_probe, op="Slice")
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


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    x = draw.floats(9, 4)
    for what, (start, end, step) in _STEPS.items():
        yield _slice(what, x, int64s(start), int64s(end), int64s(0), int64s(step))
        yield _slice(f"{what}, last axis", draw.floats(4, 9), int64s(start), int64s(end), int64s(1), int64s(step))
    yield _slice("two negative steps", x, int64s(-1, -1), int64s(-_FAR, -_FAR), int64s(0, 1), int64s(-1, -1))
    yield _slice("steps of both signs", x, int64s(5, 0), int64s(0, 4), int64s(0, 1), int64s(-2, 2))
    yield _slice("end INT64_MAX", x, int64s(2), int64s(_FAR), int64s(0))
    yield _slice("end INT32_MAX", x, int64s(2), int64s(2**31 - 1), int64s(0))
    yield _slice("negative start and end", x, int64s(-3), int64s(-1), int64s(-2))
    yield _slice("start past the end", x, int64s(20), int64s(30), int64s(0))
    yield _slice("without axes", x, int64s(1, 1), int64s(3, 3))
    yield _slice("fed", x, np.array([1]), np.array([3]), np.array([0]))
    yield _slice("negative step fed", x, np.array([6]), np.array([1]), np.array([0]), np.array([-2]))
    narrow = [Initializer(np.array([value], np.int32)) for value in (1, 3, 0)]
    yield _slice("int32 bounds", x, *narrow)
    yield _slice("opset 9", x, opset=9, starts=[1], ends=[3], axes=[0])
    for dtype in (np.int32, np.int64, np.uint8, np.bool_):
        yield _slice(f"{np.dtype(dtype).name}", draw.ints(9, 4, high=2, dtype=dtype), int64s(1), int64s(3), int64s(0))
    yield from _split(draw)
    yield from _triangle(draw)


def _split(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(7, 3)
    yield make_probe("Split uneven", x, int64s(3, 4), outputs=2, axis=0)
    yield make_probe("Split num_outputs that does not divide", x, outputs=3, opset=18, axis=0, num_outputs=3)
    yield make_probe("Split num_outputs", draw.floats(6, 3), outputs=3, opset=18, axis=0, num_outputs=3)
    yield make_probe("Split without sizes", draw.floats(3, 6), outputs=3, opset=13, axis=-1)
    yield make_probe("Split opset 11", x, outputs=2, opset=11, axis=0, split=[3, 4])
    yield make_probe("Split sizes fed", x, np.array([3, 4]), outputs=2, axis=0)
    yield make_probe("Split one", x, int64s(7), outputs=1, axis=0)
    yield make_probe("Split int64", draw.ints(6, 3, dtype=np.int64), int64s(2, 4), outputs=2, axis=0)


def _triangle(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(2, 4, 5)
    for upper in (0, 1):
        what = "upper" if upper else "lower"
        yield make_probe(f"Trilu {what}", x, upper=upper)
        for k in (-6, -1, 1, 7):
            yield make_probe(f"Trilu {what} k {k}", x, scalar(k, np.int64), upper=upper)
        yield make_probe(f"Trilu {what} k fed", x, np.array(1), upper=upper)
        yield make_probe(f"Trilu {what} int64", draw.ints(4, 4, dtype=np.int64), upper=upper)
        yield make_probe(f"Trilu {what} bool", draw.bools(4, 4), upper=upper)
