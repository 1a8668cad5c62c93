"""Gather and scatter: axes, negative and repeated indices, element types, reductions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, make_probe
from webbuild.probe.random_data import RandomData

_KINDS = (np.int32, np.int64, np.uint8, np.bool_)
_REPEATED = np.array([[0], [0], [2]])
_SPREAD = np.array([[0, 0, 1, 1, 2], [0, 1, 1, 2, 2]])


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    yield from _gather(draw)
    yield from _gather_elements(draw)
    yield from _gather_nd(draw)
    yield from _scatter(draw)
    for reduction in ("add", "mul", "max", "min"):
        yield from _reduced(draw, reduction)


def _gather(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(5, 3)
    yield make_probe("Gather", x, np.array([4, 0, 4]))
    yield make_probe("Gather negative", x, np.array([-1, 0]))
    yield make_probe("Gather last axis", x, np.array([2, 0]), axis=-1)
    yield make_probe("Gather of rank 2", x, np.array([[0, 1], [2, 3]]))
    yield make_probe("Gather int32 indices", x, np.array([1, 2], np.int32), axis=1)
    for kind in _KINDS:
        yield make_probe(f"Gather {np.dtype(kind).name}", draw.ints(7, 3, high=2, dtype=kind), np.array([0, 6]))
    yield make_probe("Gather bool, even rows", draw.bools(7, 4), np.array([0, 6]))


def _gather_elements(draw: RandomData) -> Iterator[Probe]:
    x, index = draw.floats(5, 3), draw.ints(5, 2, high=3, dtype=np.int64)
    yield make_probe("GatherElements", x, index, axis=1)
    yield make_probe("GatherElements negative", x, np.array([[-1, 0, 2]]), axis=0)
    yield make_probe("GatherElements int32 indices", x, index.astype(np.int32), axis=1)
    deep = draw.ints(2, 50, 4, high=300, dtype=np.int64)
    yield make_probe("GatherElements rank 3", draw.floats(2, 300, 4), deep, axis=1)
    for kind in _KINDS:
        yield make_probe(f"GatherElements {np.dtype(kind).name}", draw.ints(5, 3, high=2, dtype=kind), index, axis=1)


def _gather_nd(draw: RandomData) -> Iterator[Probe]:
    index = draw.ints(3, 2, high=4, dtype=np.int64)
    yield make_probe("GatherND", draw.floats(4, 5, 6), index)
    yield make_probe("GatherND to elements", draw.floats(4, 5), index)
    yield make_probe("GatherND negative", draw.floats(4, 5), np.array([[-1, -2]]))
    batched = draw.ints(2, 3, 1, high=5, dtype=np.int64)
    yield make_probe("GatherND batch_dims", draw.floats(2, 5, 6), batched, batch_dims=1)
    for kind in _KINDS:
        yield make_probe(f"GatherND {np.dtype(kind).name}", draw.ints(4, 5, high=2, dtype=kind), index)


def _scatter(draw: RandomData) -> Iterator[Probe]:
    x, rows = draw.floats(4, 5), np.array([[0], [2]])
    yield make_probe("ScatterND", x, rows, draw.floats(2, 5))
    yield make_probe("ScatterND negative", x, np.array([[-1]]), draw.floats(1, 5))
    pairs = np.array([[0, 1], [1, 2]])
    yield make_probe("ScatterND elements", x, pairs, draw.floats(2))
    yield make_probe("ScatterND rank 3", draw.floats(2, 3, 4), pairs, draw.floats(2, 4))
    yield make_probe("ScatterElements", x, np.array([[0, 1, 2, 3, 0]]), draw.floats(1, 5), axis=0)
    yield make_probe("ScatterElements last axis", x, np.array([[4], [0]]), draw.floats(2, 1), axis=-1)
    yield make_probe("ScatterElements negative", x, np.full((1, 5), -1), draw.floats(1, 5), axis=0)
    narrow = np.array([[0, 1, 2, 3, 0]], np.int32)
    yield make_probe("ScatterElements int32 indices", x, narrow, draw.floats(1, 5), axis=0)
    for kind in _KINDS:
        name, data, updates = (
            np.dtype(kind).name,
            draw.ints(4, 5, high=2, dtype=kind),
            draw.ints(2, 5, high=2, dtype=kind),
        )
        yield make_probe(f"ScatterND {name}", data, rows, updates)
        yield make_probe(f"ScatterElements {name}", data, _SPREAD[::-1] // 2 * 2 + [[0], [1]], updates)


def _reduced(draw: RandomData, reduction: str) -> Iterator[Probe]:
    form: dict[str, Any] = {"opset": 18, "reduction": reduction}
    yield make_probe(f"ScatterND {reduction} repeated", draw.floats(4, 5), _REPEATED, draw.floats(3, 5), **form)
    whole = draw.ints(4, 5, high=50), _REPEATED, draw.ints(3, 5, low=1, high=5)
    yield make_probe(f"ScatterND {reduction} repeated int32", *whole, **form)
    elements = draw.floats(4, 5), _SPREAD, draw.floats(2, 5)
    yield make_probe(f"ScatterElements {reduction} repeated", *elements, axis=0, **form)
    elements = draw.ints(4, 5, high=50), _SPREAD, draw.ints(2, 5, low=1, high=5)
    yield make_probe(f"ScatterElements {reduction} repeated int32", *elements, axis=0, **form)
