"""Slice: steps, ends, axes; Split and Trilu."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.probe_model import Probe, initializer, int64_initializer, make_probe, scalar_initializer
from webbuild.probe.random_data import RandomData

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
        yield make_probe(
            f"slice/{what}",
            "Slice",
            x,
            int64_initializer(start),
            int64_initializer(end),
            int64_initializer(0),
            int64_initializer(step),
        )
        yield make_probe(
            f"slice/{what}, last axis",
            "Slice",
            draw.floats(4, 9),
            int64_initializer(start),
            int64_initializer(end),
            int64_initializer(1),
            int64_initializer(step),
        )
    yield make_probe(
        "slice/two negative steps",
        "Slice",
        x,
        int64_initializer(-1, -1),
        int64_initializer(-_FAR, -_FAR),
        int64_initializer(0, 1),
        int64_initializer(-1, -1),
    )
    yield make_probe(
        "slice/steps of both signs",
        "Slice",
        x,
        int64_initializer(5, 0),
        int64_initializer(0, 4),
        int64_initializer(0, 1),
        int64_initializer(-2, 2),
    )
    yield make_probe(
        "slice/end INT64_MAX", "Slice", x, int64_initializer(2), int64_initializer(_FAR), int64_initializer(0)
    )
    yield make_probe(
        "slice/end INT32_MAX", "Slice", x, int64_initializer(2), int64_initializer(2**31 - 1), int64_initializer(0)
    )
    yield make_probe(
        "slice/negative start and end", "Slice", x, int64_initializer(-3), int64_initializer(-1), int64_initializer(-2)
    )
    yield make_probe(
        "slice/start past the end", "Slice", x, int64_initializer(20), int64_initializer(30), int64_initializer(0)
    )
    yield make_probe("slice/without axes", "Slice", x, int64_initializer(1, 1), int64_initializer(3, 3))
    yield make_probe("slice/fed", "Slice", x, np.array([1]), np.array([3]), np.array([0]))
    yield make_probe("slice/negative step fed", "Slice", x, np.array([6]), np.array([1]), np.array([0]), np.array([-2]))
    narrow = [initializer(np.array([value], np.int32)) for value in (1, 3, 0)]
    yield make_probe("slice/int32 bounds", "Slice", x, *narrow)
    yield make_probe("slice/opset 9", "Slice", x, opset=9, starts=[1], ends=[3], axes=[0])
    for dtype in (np.int32, np.int64, np.uint8, np.bool_):
        data = draw.ints(9, 4, high=2, dtype=dtype)
        yield make_probe(
            f"slice/{np.dtype(dtype).name}",
            "Slice",
            data,
            int64_initializer(1),
            int64_initializer(3),
            int64_initializer(0),
        )
    yield from _split(draw)
    yield from _triangle(draw)


def _split(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(7, 3)
    yield make_probe("slice/Split uneven", "Split", x, int64_initializer(3, 4), outputs=2, axis=0)
    yield make_probe(
        "slice/Split num_outputs that does not divide", "Split", x, outputs=3, opset=18, axis=0, num_outputs=3
    )
    yield make_probe("slice/Split num_outputs", "Split", draw.floats(6, 3), outputs=3, opset=18, axis=0, num_outputs=3)
    yield make_probe("slice/Split without sizes", "Split", draw.floats(3, 6), outputs=3, opset=13, axis=-1)
    yield make_probe("slice/Split opset 11", "Split", x, outputs=2, opset=11, axis=0, split=[3, 4])
    yield make_probe("slice/Split sizes fed", "Split", x, np.array([3, 4]), outputs=2, axis=0)
    yield make_probe("slice/Split one", "Split", x, int64_initializer(7), outputs=1, axis=0)
    yield make_probe(
        "slice/Split int64", "Split", draw.ints(6, 3, dtype=np.int64), int64_initializer(2, 4), outputs=2, axis=0
    )


def _triangle(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(2, 4, 5)
    for upper in (0, 1):
        what = "upper" if upper else "lower"
        yield make_probe(f"slice/Trilu {what}", "Trilu", x, upper=upper)
        for k in (-6, -1, 1, 7):
            yield make_probe(f"slice/Trilu {what} k {k}", "Trilu", x, scalar_initializer(k, np.int64), upper=upper)
        yield make_probe(f"slice/Trilu {what} k fed", "Trilu", x, np.array(1), upper=upper)
        yield make_probe(f"slice/Trilu {what} int64", "Trilu", draw.ints(4, 4, dtype=np.int64), upper=upper)
        yield make_probe(f"slice/Trilu {what} bool", "Trilu", draw.bools(4, 4), upper=upper)
