"""Normalization operators, including Softmax."""

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
        yield make_probe(f"Instance rank {rank}", x, draw.floats(3), draw.floats(3), op="InstanceNormalization")
    far = draw.floats(1, 3, 16, 16) + 100
    yield make_probe(
        "Instance far from zero", far, draw.floats(3), draw.floats(3), op="InstanceNormalization", slack=20
    )
    x = draw.floats(2, 4, 5, 5)
    yield make_probe("Group", x, draw.floats(4), draw.floats(4), op="GroupNormalization", opset=21, num_groups=2)
    yield make_probe("Lp L2", draw.floats(3, 8), op="LpNormalization")
    yield make_probe("Lp L1, first axis", draw.floats(3, 8), op="LpNormalization", axis=0, p=1)
    yield make_probe("LRN", draw.floats(1, 6, 4, 4), size=3)
    yield make_probe("MeanVariance", draw.floats(2, 3, 4, 4), op="MeanVarianceNormalization")
    yield make_probe("RMS", draw.floats(2, 3, 8), draw.floats(8), op="RMSNormalization", opset=23)


def _softmax(draw: RandomData, op: str) -> Iterator[Probe]:
    x = draw.floats(5, 7, 3)
    for axis in (0, 1, 2, -1):
        yield make_probe(f"{op} axis {axis}", x, axis=axis)
    for opset, axis in ((11, 1), (11, 2), (12, 0)):
        yield make_probe(f"{op} opset {opset} axis {axis}", x, opset=opset, axis=axis)
    yield make_probe(f"{op} rank 1", draw.floats(7), axis=-1)
    yield make_probe(f"{op} of one", draw.floats(5, 1), axis=-1)
    yield make_probe(f"{op} 5000", draw.floats(3, 5000), axis=-1)
    yield make_probe(f"{op} large", draw.floats(4, 16) * 5000, axis=-1)
    masked = np.where(draw.bools(4, 16), -np.inf, draw.floats(4, 16)).astype(np.float32)
    yield make_probe(f"{op} masked with -inf", masked, axis=-1)
    lowest = np.where(draw.bools(4, 16), np.finfo(np.float32).min, draw.floats(4, 16)).astype(np.float32)
    yield make_probe(f"{op} masked with the lowest", lowest, axis=-1)
    nothing = np.full((1, 16), -np.inf, np.float32)
    yield make_probe(f"{op} a row all -inf", np.concatenate([nothing, masked]), axis=-1)


def _layer(draw: RandomData) -> Iterator[Probe]:
    op = "LayerNormalization"
    x, scale, bias = draw.floats(2, 3, 8), draw.floats(8), draw.floats(8)
    yield make_probe("Layer", x, scale, bias, op=op)
    yield make_probe("Layer without bias", x, scale, op=op)
    yield make_probe("Layer odd", draw.floats(2, 3, 7), draw.floats(7), draw.floats(7), op=op)
    yield make_probe("Layer axis 1", x, draw.floats(3, 8), draw.floats(3, 8), op=op, axis=1)
    yield make_probe("Layer axis 0", draw.floats(4, 8), draw.floats(4, 8), op=op, axis=0)
    yield make_probe("Layer three outputs", x, scale, bias, op=op, outputs=3)
    yield make_probe("Layer 768, large", draw.floats(2, 3, 768) * 1000, draw.floats(768), draw.floats(768), op=op)
    yield make_probe("Layer scale broadcast", x, draw.floats(1), draw.floats(1), op=op)


def _batch(draw: RandomData) -> Iterator[Probe]:
    op, four = "BatchNormalization", [draw.floats(3), draw.floats(3), draw.floats(3), draw.positive(3)]
    for rank in (2, 3, 4, 5):
        x = draw.floats(2, 3, *[4] * (rank - 2))
        yield make_probe(f"Batch rank {rank}", x, *four, op=op, opset=15)
    x = draw.floats(2, 3, 4, 4)
    yield make_probe("Batch opset 9", x, *four, op=op, opset=9)
    yield make_probe("Batch opset 14", x, *four, op=op, opset=14)
    yield make_probe("Batch training_mode", x, *four, op=op, opset=15, outputs=3, training_mode=1)
    yield make_probe("Batch epsilon", x, *four, op=op, opset=15, epsilon=0.1)
