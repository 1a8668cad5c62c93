"""Pad: mode, negative pads, pads beyond the size, ranks, values and element types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64_initializer, make_probe, scalar_initializer
from webbuild.probe.random_data import RandomData


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for mode in ("constant", "reflect", "edge", "wrap"):
        x = draw.floats(1, 2, 5, 5)
        form: dict[str, Any] = {"mode": mode, "opset": 19 if mode == "wrap" else 18}
        yield make_probe(f"pad/{mode}", "Pad", x, int64_initializer(0, 0, 2, 1, 0, 0, 1, 2), **form)
        yield make_probe(f"pad/{mode} one end", "Pad", x, int64_initializer(0, 0, 0, 0, 0, 0, 1, 1), **form)
        yield make_probe(
            f"pad/{mode} axes", "Pad", x, int64_initializer(2, 1, 1, 2), None, int64_initializer(2, 3), **form
        )
        yield make_probe(
            f"pad/{mode} negative axes",
            "Pad",
            x,
            int64_initializer(2, 1, 1, 2),
            None,
            int64_initializer(-2, -1),
            **form,
        )
        yield make_probe(f"pad/{mode} negative", "Pad", x, int64_initializer(0, 0, -1, -1, 0, 0, -1, -1), **form)
        yield make_probe(
            f"pad/{mode} negative and positive", "Pad", x, int64_initializer(0, 0, -1, 2, 0, 0, 1, -1), **form
        )
        yield make_probe(
            f"pad/{mode} beyond the size",
            "Pad",
            draw.floats(1, 2, 3, 3),
            int64_initializer(0, 0, 5, 5, 0, 0, 5, 5),
            **form,
        )
        yield make_probe(f"pad/{mode} nothing", "Pad", x, int64_initializer(*[0] * 8), **form)
        yield make_probe(f"pad/{mode} rank 1", "Pad", draw.floats(5), int64_initializer(2, 2), **form)
        yield make_probe(f"pad/{mode} rank 3", "Pad", draw.floats(2, 3, 5), int64_initializer(0, 1, 2, 0, 1, 1), **form)
        yield make_probe(
            f"pad/{mode} rank 5",
            "Pad",
            draw.floats(1, 2, 3, 3, 3),
            int64_initializer(0, 0, 1, 1, 1, 0, 0, 1, 1, 1),
            **form,
        )
        yield make_probe(f"pad/{mode} fed", "Pad", x, np.array([0, 0, 2, 1, 0, 0, 1, 2]), **form)
        yield make_probe(f"pad/{mode} int32", "Pad", draw.ints(4, 5), int64_initializer(0, 1, 1, 0), **form)
        yield make_probe(f"pad/{mode} bool", "Pad", draw.bools(4, 5), int64_initializer(0, 1, 1, 0), **form)
    x = draw.floats(1, 2, 5, 5)
    around = int64_initializer(0, 0, 2, 1, 0, 0, 1, 2)
    yield make_probe("pad/constant value", "Pad", x, around, scalar_initializer(3))
    yield make_probe("pad/constant value fed", "Pad", x, around, np.array(3, np.float32))
    yield make_probe("pad/constant value of rank 1", "Pad", x, around, np.array([3], np.float32))
    yield make_probe("pad/constant -inf", "Pad", x, around, scalar_initializer(-np.inf))
    yield make_probe(
        "pad/constant int32 value",
        "Pad",
        draw.ints(2, 3),
        int64_initializer(0, 1, 1, 0),
        scalar_initializer(7, np.int32),
    )
    yield make_probe(
        "pad/constant int64 value",
        "Pad",
        draw.ints(2, 3, dtype=np.int64),
        int64_initializer(0, 1, 1, 0),
        scalar_initializer(7, np.int64),
    )
    yield make_probe("pad/reflect opset 10", "Pad", x, opset=10, pads=[0, 0, 1, 1, 0, 0, 1, 1], mode="reflect")
    yield make_probe("pad/constant opset 10", "Pad", x, opset=10, pads=[0, 0, 1, 1, 0, 0, 1, 1], value=2.0)
