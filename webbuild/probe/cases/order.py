"""Operators that depend on order: ArgMax, TopK, CumSum."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64s, make_probe, scalar
from webbuild.probe.random_data import RandomData


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for op in ("ArgMax", "ArgMin"):
        yield from _extreme(draw, op)
    yield from _top(draw)
    for reverse, exclusive in product((0, 1), (0, 1)):
        form: dict[str, Any] = {"reverse": reverse, "exclusive": exclusive}
        what = f"CumSum{' reverse' * reverse}{' exclusive' * exclusive}"
        yield make_probe(f"{what} last axis", draw.floats(3, 5), scalar(1, np.int32), **form)
        yield make_probe(f"{what} first axis", draw.floats(3, 5), scalar(0, np.int64), **form)
    yield make_probe("CumSum negative axis", draw.floats(3, 5), scalar(-1, np.int64))
    yield make_probe("CumSum axis fed", draw.floats(3, 5), np.array(1))
    yield make_probe("CumSum int32", draw.ints(3, 5), scalar(1, np.int64))
    yield make_probe("CumSum int64", draw.ints(3, 5, dtype=np.int64), scalar(1, np.int64))
    yield make_probe("CumSum 2000", draw.positive(2, 2000), scalar(1, np.int64), slack=5)


def _extreme(draw: RandomData, op: str) -> Iterator[Probe]:
    x, ties = draw.floats(3, 4, 5), draw.ints(3, 6, high=2).astype(np.float32)
    for axis in (0, 1, 2, -1):
        yield make_probe(f"{op} axis {axis}", x, axis=axis)
    yield make_probe(f"{op} dropped", x, axis=-1, keepdims=0)
    yield make_probe(f"{op} ties", ties, axis=1)
    yield make_probe(f"{op} ties, last", ties, axis=1, select_last_index=1)
    yield make_probe(f"{op} int32", draw.ints(3, 6), axis=1)
    yield make_probe(f"{op} int64", draw.ints(3, 6, dtype=np.int64), axis=1)
    yield make_probe(f"{op} one element", draw.floats(3, 1), axis=1)
    yield make_probe(f"{op} all -inf", np.full((2, 5), -np.inf, np.float32), axis=1)
    yield make_probe(f"{op} all inf", np.full((2, 5), np.inf, np.float32), axis=1)
    yield make_probe(f"{op} nan", np.array([[1, np.nan, 3], [np.nan, 2, 1]], np.float32), axis=1)
    yield make_probe(f"{op} opset 11", x, opset=11, axis=1)


def _top(draw: RandomData) -> Iterator[Probe]:
    x, k = draw.floats(3, 20), int64s(5)
    yield make_probe("TopK", x, k, outputs=2)
    yield make_probe("TopK smallest", x, k, outputs=2, largest=0)
    yield make_probe("TopK first axis", draw.floats(20, 3), k, outputs=2, axis=0)
    yield make_probe("TopK rank 1", draw.floats(20), k, outputs=2)
    yield make_probe("TopK rank 4, axis 2", draw.floats(2, 3, 20, 2), k, outputs=2, axis=2)
    yield make_probe("TopK k 1", x, int64s(1), outputs=2)
    yield make_probe("TopK all", x, int64s(20), outputs=2)
    yield make_probe("TopK ties", np.zeros((2, 50), np.float32), k, outputs=2)
    yield make_probe("TopK k fed", x, np.array([5]), outputs=2)
    yield make_probe("TopK nan", np.array([[1, np.nan, 3, 2]], np.float32), int64s(2), outputs=2)
    yield make_probe("TopK infinities", np.array([[1, np.inf, -np.inf, 2]], np.float32), int64s(4), outputs=2)
    yield make_probe("TopK int32", draw.permutation(30).astype(np.int32)[None], k, outputs=2)
    yield make_probe("TopK int64", draw.permutation(30)[None], k, outputs=2)
    for count in (1000, 8400):
        yield make_probe(
            f"TopK 300 of {count}", draw.permutation(count).astype(np.float32)[None], int64s(300), outputs=2
        )
