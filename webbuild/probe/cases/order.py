"""What depends on order: ArgMax, TopK, CumSum."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64_initializer, make_probe, scalar_initializer
from webbuild.probe.random_data import RandomData


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for op in ("ArgMax", "ArgMin"):
        yield from _extreme(draw, op)
    yield from _top(draw)
    for reverse, exclusive in product((0, 1), (0, 1)):
        form: dict[str, Any] = {"reverse": reverse, "exclusive": exclusive}
        what = f"order/CumSum{' reverse' * reverse}{' exclusive' * exclusive}"
        yield make_probe(f"{what} last axis", "CumSum", draw.floats(3, 5), scalar_initializer(1, np.int32), **form)
        yield make_probe(f"{what} first axis", "CumSum", draw.floats(3, 5), scalar_initializer(0, np.int64), **form)
    yield make_probe("order/CumSum negative axis", "CumSum", draw.floats(3, 5), scalar_initializer(-1, np.int64))
    yield make_probe("order/CumSum axis fed", "CumSum", draw.floats(3, 5), np.array(1))
    yield make_probe("order/CumSum int32", "CumSum", draw.ints(3, 5), scalar_initializer(1, np.int64))
    yield make_probe("order/CumSum int64", "CumSum", draw.ints(3, 5, dtype=np.int64), scalar_initializer(1, np.int64))
    yield make_probe("order/CumSum 2000", "CumSum", draw.positive(2, 2000), scalar_initializer(1, np.int64), slack=5)


def _extreme(draw: RandomData, op: str) -> Iterator[Probe]:
    x, ties = draw.floats(3, 4, 5), draw.ints(3, 6, high=2).astype(np.float32)
    for axis in (0, 1, 2, -1):
        yield make_probe(f"order/{op} axis {axis}", op, x, axis=axis)
    yield make_probe(f"order/{op} dropped", op, x, axis=-1, keepdims=0)
    yield make_probe(f"order/{op} ties", op, ties, axis=1)
    yield make_probe(f"order/{op} ties, last", op, ties, axis=1, select_last_index=1)
    yield make_probe(f"order/{op} int32", op, draw.ints(3, 6), axis=1)
    yield make_probe(f"order/{op} int64", op, draw.ints(3, 6, dtype=np.int64), axis=1)
    yield make_probe(f"order/{op} one element", op, draw.floats(3, 1), axis=1)
    yield make_probe(f"order/{op} all -inf", op, np.full((2, 5), -np.inf, np.float32), axis=1)
    yield make_probe(f"order/{op} all inf", op, np.full((2, 5), np.inf, np.float32), axis=1)
    yield make_probe(f"order/{op} nan", op, np.array([[1, np.nan, 3], [np.nan, 2, 1]], np.float32), axis=1)
    yield make_probe(f"order/{op} opset 11", op, x, opset=11, axis=1)


def _top(draw: RandomData) -> Iterator[Probe]:
    x, k = draw.floats(3, 20), int64_initializer(5)
    yield make_probe("order/TopK", "TopK", x, k, outputs=2)
    yield make_probe("order/TopK smallest", "TopK", x, k, outputs=2, largest=0)
    yield make_probe("order/TopK first axis", "TopK", draw.floats(20, 3), k, outputs=2, axis=0)
    yield make_probe("order/TopK rank 1", "TopK", draw.floats(20), k, outputs=2)
    yield make_probe("order/TopK rank 4, axis 2", "TopK", draw.floats(2, 3, 20, 2), k, outputs=2, axis=2)
    yield make_probe("order/TopK k 1", "TopK", x, int64_initializer(1), outputs=2)
    yield make_probe("order/TopK all", "TopK", x, int64_initializer(20), outputs=2)
    yield make_probe("order/TopK ties", "TopK", np.zeros((2, 50), np.float32), k, outputs=2)
    yield make_probe("order/TopK k fed", "TopK", x, np.array([5]), outputs=2)
    yield make_probe(
        "order/TopK nan", "TopK", np.array([[1, np.nan, 3, 2]], np.float32), int64_initializer(2), outputs=2
    )
    yield make_probe(
        "order/TopK infinities",
        "TopK",
        np.array([[1, np.inf, -np.inf, 2]], np.float32),
        int64_initializer(4),
        outputs=2,
    )
    yield make_probe("order/TopK int32", "TopK", draw.permutation(30).astype(np.int32)[None], k, outputs=2)
    yield make_probe("order/TopK int64", "TopK", draw.permutation(30)[None], k, outputs=2)
    for count in (1000, 8400):
        yield make_probe(
            f"order/TopK 300 of {count}",
            "TopK",
            draw.permutation(count).astype(np.float32)[None],
            int64_initializer(300),
            outputs=2,
        )
