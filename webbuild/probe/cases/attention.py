"""Attention and related operators: those of ONNX, and the fused operators of ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, make_probe
from webbuild.probe.random_data import RandomData

_FUSED: dict[str, Any] = {"domain": "com.microsoft", "outputs": ("float",)}


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    q, k, v = draw.floats(1, 2, 3, 8), draw.floats(1, 2, 5, 8), draw.floats(1, 2, 5, 8)
    yield make_probe("Attention", q, k, v, opset=23)
    yield make_probe("Attention mask", q, k, v, draw.floats(3, 5), opset=23)
    yield make_probe("Attention causal", q, k, v, opset=23, is_causal=1)
    angles = draw.floats(8, 2), draw.floats(8, 2), draw.ints(1, 3, high=8, dtype=np.int64)
    for interleaved in (0, 1):
        inputs = draw.floats(1, 2, 3, 4), *angles
        yield make_probe(f"RotaryEmbedding interleaved {interleaved}", *inputs, opset=23, interleaved=interleaved)
    yield from _fused(draw)


def _fused(draw: RandomData) -> Iterator[Probe]:
    x, scale, bias = draw.floats(2, 3, 8), draw.floats(8), draw.floats(8)
    for op in ("FastGelu", "Gelu", "QuickGelu"):
        yield make_probe(op, x, **_FUSED)
    yield make_probe("BiasGelu", x, bias, **_FUSED)
    yield make_probe("FastGelu bias", x, bias, **_FUSED)
    yield make_probe("SkipLayerNormalization", x, x, scale, bias, bias, **_FUSED)
    yield make_probe("SkipSimplifiedLayerNormalization", x, x, scale, **_FUSED)
    three = [draw.floats(1, 4, 16) for _ in range(3)]
    yield make_probe("MultiHeadAttention", *three, num_heads=2, **_FUSED)
    yield make_probe("MultiHeadAttention bias", *three, draw.floats(48), num_heads=2, **_FUSED)
    picture, filters = draw.floats(1, 4, 6, 6), Initializer(draw.floats(8, 4, 3, 3))
    for activation in ("Relu", "Sigmoid", "Tanh"):
        what = f"FusedConv {activation}"
        yield make_probe(what, picture, filters, Initializer(draw.floats(8)), activation=activation, **_FUSED)
    yield make_probe("FusedMatMul", draw.floats(3, 4), draw.floats(5, 4), transB=1, **_FUSED)
    for bits in (4, 8):
        packed = draw.ints(6, 2, 16 * bits // 8, high=255, dtype=np.uint8)
        inputs = draw.floats(3, 32), Initializer(packed), Initializer(draw.positive(12))
        form: dict[str, Any] = {"K": 32, "N": 6, "bits": bits, "block_size": 16}
        yield make_probe(f"MatMulNBits {bits} bits", *inputs, slack=5, **form, **_FUSED)
