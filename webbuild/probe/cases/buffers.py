"""Nodes with more tensors than a shader may bind: 8 on many devices, 10 on most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, int64s, make_probe
from webbuild.probe.random_data import RandomData

_COUNTS = (7, 8, 9, 10, 12, 17, 33)


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for count in _COUNTS:
        many = [draw.floats(2, 3) for _ in range(count)]
        yield make_probe(f"Concat {count}", *many, axis=0)
        yield make_probe(f"Concat {count} last axis", *many, axis=-1)
        yield make_probe(f"Split {count}", draw.floats(2 * count, 3), outputs=count, opset=13, axis=0)
        sizes = int64s(*[1] * count)
        yield make_probe(f"Split {count} last axis", draw.floats(3, count), sizes, outputs=count, axis=-1)
        for op in ("Sum", "Max", "Min", "Mean"):
            yield make_probe(f"{op} {count}", *many)
    yield from _layers(draw)
    for count in (8, 12):
        ints = [draw.ints(2, 3) for _ in range(count)]
        yield make_probe(f"Concat {count} int32", *ints, axis=0)


def _layers(draw: RandomData) -> Iterator[Probe]:
    """Yield layers with all optional inputs and outputs."""
    weights = draw.floats(1, 12, 4), draw.floats(1, 12, 3), draw.floats(1, 24)
    states = np.array([5, 5], np.int32), draw.floats(1, 2, 3), draw.floats(1, 2, 3), draw.floats(1, 9)
    inputs = draw.floats(5, 2, 4), *weights, *states
    yield make_probe("LSTM all", *inputs, hidden_size=3, outputs=3)
    yield make_probe("LSTM without peepholes", *inputs[:-1], hidden_size=3, outputs=3)
    four = [draw.floats(3), draw.floats(3), draw.floats(3), draw.positive(3)]
    yield make_probe("BatchNormalization", draw.floats(2, 3, 4, 4), *four)
    fused: dict[str, Any] = {"domain": "com.microsoft", "num_heads": 2}
    three = [draw.floats(1, 4, 16) for _ in range(3)]
    past = draw.floats(1, 2, 3, 8), draw.floats(1, 2, 3, 8)
    mask = None, draw.floats(1, 2, 4, 7), *past
    what = "MultiHeadAttention bias, mask, past"
    yield make_probe(what, *three, draw.floats(48), *mask, outputs=("float",) * 3, **fused)
    skipped = draw.floats(2, 3, 8), draw.floats(2, 3, 8), draw.floats(8), draw.floats(8), draw.floats(8)
    fused = {"domain": "com.microsoft", "outputs": ("float",) * 4}
    yield make_probe("SkipLayerNormalization four outputs", *skipped, **fused)
    letters = "abcdefghij"
    for count in (3, 6, 10):
        equation = ",".join(letters[:count]) + "->" + letters[:count]
        yield make_probe(f"Einsum {count}", *[draw.floats(2) for _ in range(count)], equation=equation)
