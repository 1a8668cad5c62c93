"""Normalisations, Softmax among them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.draw import Draw
from webbuild.probe.node import Probe, node


def cases(draw: Draw) -> Iterator[Probe]:
    """Yield the probes."""
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        yield from _softmax(draw, op)
    yield from _layer(draw)
    yield from _batch(draw)
    for rank in (3, 4, 5):
        x = draw.floats(2, 3, *[5] * (rank - 2))
        yield node(f"normalization/Instance rank {rank}", "InstanceNormalization", x, draw.floats(3), draw.floats(3))
    far = draw.floats(1, 3, 16, 16) + 100
    yield node(
        "normalization/Instance far from zero", "InstanceNormalization", far, draw.floats(3), draw.floats(3), slack=20
    )
    x = draw.floats(2, 4, 5, 5)
    four = [draw.floats(4), draw.floats(4)]
    yield node("normalization/Group", "GroupNormalization", x, *four, opset=21, num_groups=2)
    yield node("normalization/Lp L2", "LpNormalization", draw.floats(3, 8))
    yield node("normalization/Lp L1, first axis", "LpNormalization", draw.floats(3, 8), axis=0, p=1)
    yield node("normalization/LRN", "LRN", draw.floats(1, 6, 4, 4), size=3)
    yield node("normalization/MeanVariance", "MeanVarianceNormalization", draw.floats(2, 3, 4, 4))
    yield node("normalization/RMS", "RMSNormalization", draw.floats(2, 3, 8), draw.floats(8), opset=23)


def _softmax(draw: Draw, op: str) -> Iterator[Probe]:
    x = draw.floats(5, 7, 3)
    for axis in (0, 1, 2, -1):
        yield node(f"normalization/{op} axis {axis}", op, x, axis=axis)
    for opset, axis in ((11, 1), (11, 2), (12, 0)):
        yield node(f"normalization/{op} opset {opset} axis {axis}", op, x, opset=opset, axis=axis)
    yield node(f"normalization/{op} rank 1", op, draw.floats(7), axis=-1)
    yield node(f"normalization/{op} of one", op, draw.floats(5, 1), axis=-1)
    yield node(f"normalization/{op} 5000", op, draw.floats(3, 5000), axis=-1)
    yield node(f"normalization/{op} large", op, draw.floats(4, 16) * 5000, axis=-1)
    masked = np.where(draw.bools(4, 16), -np.inf, draw.floats(4, 16)).astype(np.float32)
    yield node(f"normalization/{op} masked with -inf", op, masked, axis=-1)
    lowest = np.where(draw.bools(4, 16), np.finfo(np.float32).min, draw.floats(4, 16)).astype(np.float32)
    yield node(f"normalization/{op} masked with the lowest", op, lowest, axis=-1)
    nothing = np.full((1, 16), -np.inf, np.float32)
    yield node(f"normalization/{op} a row all -inf", op, np.concatenate([nothing, masked]), axis=-1)


def _layer(draw: Draw) -> Iterator[Probe]:
    op = "LayerNormalization"
    x, scale, bias = draw.floats(2, 3, 8), draw.floats(8), draw.floats(8)
    yield node("normalization/Layer", op, x, scale, bias)
    yield node("normalization/Layer without bias", op, x, scale)
    yield node("normalization/Layer odd", op, draw.floats(2, 3, 7), draw.floats(7), draw.floats(7))
    yield node("normalization/Layer axis 1", op, x, draw.floats(3, 8), draw.floats(3, 8), axis=1)
    yield node("normalization/Layer axis 0", op, draw.floats(4, 8), draw.floats(4, 8), axis=0)
    yield node("normalization/Layer three outputs", op, x, scale, bias, outputs=3)
    yield node("normalization/Layer 768, large", op, draw.floats(2, 3, 768) * 1000, draw.floats(768), draw.floats(768))
    yield node("normalization/Layer scale broadcast", op, x, draw.floats(1), draw.floats(1))


def _batch(draw: Draw) -> Iterator[Probe]:
    op, four = "BatchNormalization", [draw.floats(3), draw.floats(3), draw.floats(3), draw.positive(3)]
    for rank in (2, 3, 4, 5):
        x = draw.floats(2, 3, *[4] * (rank - 2))
        yield node(f"normalization/Batch rank {rank}", op, x, *four, opset=15)
    x = draw.floats(2, 3, 4, 4)
    yield node("normalization/Batch opset 9", op, x, *four, opset=9)
    yield node("normalization/Batch opset 14", op, x, *four, opset=14)
    yield node("normalization/Batch training_mode", op, x, *four, opset=15, outputs=3, training_mode=1)
    yield node("normalization/Batch epsilon", op, x, *four, opset=15, epsilon=0.1)
