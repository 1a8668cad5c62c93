"""Kernels that use subgroups if the adapter has them: attention of many queries, MatMul with packed weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, make_probe
from webbuild.probe.random_data import RandomData

_FUSED: dict[str, Any] = {"domain": "com.microsoft", "outputs": ("float",)}


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for queries in (1, 31, 32, 70):
        for size in (4, 6, 16, 64):
            three = [draw.floats(1, queries, 2 * size) for _ in range(3)]
            yield make_probe(
                f"MultiHeadAttention {queries} queries, heads of {size}", *three, num_heads=2, slack=3, **_FUSED
            )
    for rows in (1, 32, 64):
        for bits in (4, 8):
            packed = draw.ints(32, 4, 32 * bits // 8, high=255, dtype=np.uint8)
            inputs = draw.floats(rows, 128), Initializer(packed), Initializer(draw.positive(128))
            form: dict[str, Any] = {"K": 128, "N": 32, "bits": bits, "block_size": 32}
            for level in (0, 4):
                yield make_probe(
                    f"MatMulNBits {bits} bits, {rows} rows, accuracy {level}",
                    *inputs,
                    accuracy_level=level,
                    slack=20 if level else 5,
                    **form,
                    **_FUSED,
                )
