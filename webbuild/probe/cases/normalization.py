"""Normalisations, Softmax among them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.probe_model import Probe, make_probe
from webbuild.probe.random_data import RandomData


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        yield from _softmax(draw, op)
    yield from _layer(draw)
    yield from _batch(draw)
    for rank in (3, 4, 5):
        x = draw.floats(2, 3, *[5] * (rank - 2))
        yield make_probe(
            f"normalization/Instance rank {rank}", "InstanceNormalization", x, draw.floats(3), draw.floats(3)
        )
    far = draw.floats(1, 3, 16, 16) + 100
    yield make_probe(
        "normalization/Instance far from zero", "InstanceNormalization", far, draw.floats(3), draw.floats(3), slack=20
    )
    x = draw.floats(2, 4, 5, 5)
    four = [draw.floats(4), draw.floats(4)]
    yield make_probe("normalization/Group", "GroupNormalization", x, *four, opset=21, num_groups=2)
    yield make_probe("normalization/Lp L2", "LpNormalization", draw.floats(3, 8))
    yield make_probe("normalization/Lp L1, first axis", "LpNormalization", draw.floats(3, 8), axis=0, p=1)
    yield make_probe("normalization/LRN", "LRN", draw.floats(1, 6, 4, 4), size=3)
    yield make_probe("normalization/MeanVariance", "MeanVarianceNormalization", draw.floats(2, 3, 4, 4))
    yield make_probe("normalization/RMS", "RMSNormalization", draw.floats(2, 3, 8), draw.floats(8), opset=23)


def _softmax(draw: RandomData, op: str) -> Iterator[Probe]:
    x = draw.floats(5, 7, 3)
    for axis in (0, 1, 2, -1):
        yield make_probe(f"normalization/{op} axis {axis}", op, x, axis=axis)
    for opset, axis in ((11, 1), (11, 2), (12, 0)):
        yield make_probe(f"normalization/{op} opset {opset} axis {axis}", op, x, opset=opset, axis=axis)
    yield make_probe(f"normalization/{op} rank 1", op, draw.floats(7), axis=-1)
    yield make_probe(f"normalization/{op} of one", op, draw.floats(5, 1), axis=-1)
    yield make_probe(f"normalization/{op} 5000", op, draw.floats(3, 5000), axis=-1)
    yield make_probe(f"normalization/{op} large", op, draw.floats(4, 16) * 5000, axis=-1)
    masked = np.where(draw.bools(4, 16), -np.inf, draw.floats(4, 16)).astype(np.float32)
    yield make_probe(f"normalization/{op} masked with -inf", op, masked, axis=-1)
    lowest = np.where(draw.bools(4, 16), np.finfo(np.float32).min, draw.floats(4, 16)).astype(np.float32)
    yield make_probe(f"normalization/{op} masked with the lowest", op, lowest, axis=-1)
    nothing = np.full((1, 16), -np.inf, np.float32)
    yield make_probe(f"normalization/{op} a row all -inf", op, np.concatenate([nothing, masked]), axis=-1)


def _layer(draw: RandomData) -> Iterator[Probe]:
    op = "LayerNormalization"
    x, scale, bias = draw.floats(2, 3, 8), draw.floats(8), draw.floats(8)
    yield make_probe("normalization/Layer", op, x, scale, bias)
    yield make_probe("normalization/Layer without bias", op, x, scale)
    yield make_probe("normalization/Layer odd", op, draw.floats(2, 3, 7), draw.floats(7), draw.floats(7))
    yield make_probe("normalization/Layer axis 1", op, x, draw.floats(3, 8), draw.floats(3, 8), axis=1)
    yield make_probe("normalization/Layer axis 0", op, draw.floats(4, 8), draw.floats(4, 8), axis=0)
    yield make_probe("normalization/Layer three outputs", op, x, scale, bias, outputs=3)
    yield make_probe(
        "normalization/Layer 768, large", op, draw.floats(2, 3, 768) * 1000, draw.floats(768), draw.floats(768)
    )
    yield make_probe("normalization/Layer scale broadcast", op, x, draw.floats(1), draw.floats(1))


def _batch(draw: RandomData) -> Iterator[Probe]:
    op, four = "BatchNormalization", [draw.floats(3), draw.floats(3), draw.floats(3), draw.positive(3)]
    for rank in (2, 3, 4, 5):
        x = draw.floats(2, 3, *[4] * (rank - 2))
        yield make_probe(f"normalization/Batch rank {rank}", op, x, *four, opset=15)
    x = draw.floats(2, 3, 4, 4)
    yield make_probe("normalization/Batch opset 9", op, x, *four, opset=9)
    yield make_probe("normalization/Batch opset 14", op, x, *four, opset=14)
    yield make_probe("normalization/Batch training_mode", op, x, *four, opset=15, outputs=3, training_mode=1)
    yield make_probe("normalization/Batch epsilon", op, x, *four, opset=15, epsilon=0.1)
