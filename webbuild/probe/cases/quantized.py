"""Quantization: zero points, axes, blocks, and integer products."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, make_probe, scalar
from webbuild.probe.random_data import RandomData


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for kind, low, high, zero in ((np.uint8, 0, 255, 128), (np.int8, -128, 127, 3)):
        name = np.dtype(kind).name
        x, scale = draw.floats(3, 4), scalar(0.1)
        yield make_probe(f"QuantizeLinear {name}", x, scale, scalar(zero, kind))
        whole = draw.ints(3, 4, low=low, high=high, dtype=kind)
        yield make_probe(f"DequantizeLinear {name}", whole, scale)
        yield make_probe(f"DequantizeLinear {name} zero point", whole, scale, scalar(zero, kind))
        for axis, shape in ((0, (5, 7)), (1, (5, 7)), (1, (2, 3, 4, 5)), (-1, (3, 8))):
            values = draw.ints(*shape, low=low, high=high, dtype=kind)
            many = Initializer(draw.positive(shape[axis])), Initializer(draw.ints(shape[axis], high=9, dtype=kind))
            yield make_probe(f"DequantizeLinear {name} axis {axis} of rank {len(shape)}", values, *many, axis=axis)
        weights = Initializer(draw.ints(5, 7, low=low, high=high, dtype=kind)), Initializer(draw.positive(5))
        yield make_probe(f"DequantizeLinear {name} weights", *weights, axis=0)
        blocks = draw.ints(8, 6, low=low, high=high, dtype=kind), Initializer(draw.positive(2, 6))
        yield make_probe(f"DequantizeLinear {name} blocks", *blocks, opset=21, axis=0, block_size=4)
        yield make_probe(f"QuantizeLinear {name} axis", x, Initializer(draw.positive(4)), axis=1)
    for opset in (10, 13, 19, 21, 23, 24, 25):
        inputs = draw.ints(3, 4, high=255, dtype=np.uint8), scalar(0.1), scalar(128, np.uint8)
        yield make_probe(f"DequantizeLinear opset {opset}", *inputs, opset=opset)
    wide = draw.ints(3, 4, low=-1000, high=1000), scalar(0.1)
    yield make_probe("DequantizeLinear int32", *wide)
    yield make_probe("DequantizeLinear int32 zero point", *wide, scalar(0, np.int32))
    yield make_probe("DynamicQuantizeLinear", draw.floats(3, 4), outputs=3)
    yield from _products(draw)


def _products(draw: RandomData) -> Iterator[Probe]:
    a, b = draw.ints(3, 4, high=255, dtype=np.uint8), draw.ints(4, 5, high=100, dtype=np.int8)
    yield make_probe("MatMulInteger", a, b)
    yield make_probe("MatMulInteger zero points", a, b, scalar(3, np.uint8), scalar(1, np.int8))
    picture, filters = draw.ints(1, 3, 6, 6, high=255, dtype=np.uint8), draw.ints(4, 3, 3, 3, high=9, dtype=np.uint8)
    yield make_probe("ConvInteger", picture, filters)
    scales = scalar(0.1), scalar(3, np.uint8)
    yield make_probe("QLinearMatMul", a, *scales, b.view(np.uint8), *scales, scalar(9), scalar(0, np.uint8))
    inputs = picture, *scales, filters, *scales, scalar(2), scalar(0, np.uint8)
    yield make_probe("QLinearConv", *inputs)
