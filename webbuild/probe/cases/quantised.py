"""Quantised numbers: zero points, axes, blocks, and products of integers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.probe_model import Probe, initializer, make_probe, scalar_initializer
from webbuild.probe.random_data import RandomData


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for kind, low, high, zero in ((np.uint8, 0, 255, 128), (np.int8, -128, 127, 3)):
        name = np.dtype(kind).name
        x, scale = draw.floats(3, 4), scalar_initializer(0.1)
        yield make_probe(f"quantised/QuantizeLinear {name}", "QuantizeLinear", x, scale, scalar_initializer(zero, kind))
        whole = draw.ints(3, 4, low=low, high=high, dtype=kind)
        yield make_probe(f"quantised/DequantizeLinear {name}", "DequantizeLinear", whole, scale)
        yield make_probe(
            f"quantised/DequantizeLinear {name} zero point",
            "DequantizeLinear",
            whole,
            scale,
            scalar_initializer(zero, kind),
        )
        for axis, shape in ((0, (5, 7)), (1, (5, 7)), (1, (2, 3, 4, 5)), (-1, (3, 8))):
            values = draw.ints(*shape, low=low, high=high, dtype=kind)
            many = initializer(draw.positive(shape[axis])), initializer(draw.ints(shape[axis], high=9, dtype=kind))
            what = f"quantised/DequantizeLinear {name} axis {axis} of rank {len(shape)}"
            yield make_probe(what, "DequantizeLinear", values, *many, axis=axis)
        weights = initializer(draw.ints(5, 7, low=low, high=high, dtype=kind)), initializer(draw.positive(5))
        yield make_probe(f"quantised/DequantizeLinear {name} weights", "DequantizeLinear", *weights, axis=0)
        blocks = draw.ints(8, 6, low=low, high=high, dtype=kind), initializer(draw.positive(2, 6))
        yield make_probe(
            f"quantised/DequantizeLinear {name} blocks", "DequantizeLinear", *blocks, opset=21, axis=0, block_size=4
        )
        yield make_probe(
            f"quantised/QuantizeLinear {name} axis", "QuantizeLinear", x, initializer(draw.positive(4)), axis=1
        )
    for opset in (10, 13, 19, 21, 23, 24, 25):
        given = draw.ints(3, 4, high=255, dtype=np.uint8), scalar_initializer(0.1), scalar_initializer(128, np.uint8)
        yield make_probe(f"quantised/DequantizeLinear opset {opset}", "DequantizeLinear", *given, opset=opset)
    wide = draw.ints(3, 4, low=-1000, high=1000), scalar_initializer(0.1)
    yield make_probe("quantised/DequantizeLinear int32", "DequantizeLinear", *wide)
    yield make_probe(
        "quantised/DequantizeLinear int32 zero point", "DequantizeLinear", *wide, scalar_initializer(0, np.int32)
    )
    yield make_probe("quantised/DynamicQuantizeLinear", "DynamicQuantizeLinear", draw.floats(3, 4), outputs=3)
    yield from _products(draw)


def _products(draw: RandomData) -> Iterator[Probe]:
    a, b = draw.ints(3, 4, high=255, dtype=np.uint8), draw.ints(4, 5, high=100, dtype=np.int8)
    yield make_probe("quantised/MatMulInteger", "MatMulInteger", a, b)
    yield make_probe(
        "quantised/MatMulInteger zero points",
        "MatMulInteger",
        a,
        b,
        scalar_initializer(3, np.uint8),
        scalar_initializer(1, np.int8),
    )
    picture, filters = draw.ints(1, 3, 6, 6, high=255, dtype=np.uint8), draw.ints(4, 3, 3, 3, high=9, dtype=np.uint8)
    yield make_probe("quantised/ConvInteger", "ConvInteger", picture, filters)
    scales = scalar_initializer(0.1), scalar_initializer(3, np.uint8)
    yield make_probe(
        "quantised/QLinearMatMul",
        "QLinearMatMul",
        a,
        *scales,
        b.view(np.uint8),
        *scales,
        scalar_initializer(9),
        scalar_initializer(0, np.uint8),
    )
    given = picture, *scales, filters, *scales, scalar_initializer(2), scalar_initializer(0, np.uint8)
    yield make_probe("quantised/QLinearConv", "QLinearConv", *given)
