"""Quantised numbers: zero points, axes, blocks, and products of integers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.draw import Draw
from webbuild.probe.node import Probe, fixed, node, single


def cases(draw: Draw) -> Iterator[Probe]:
    """Yield the probes."""
    for kind, low, high, zero in ((np.uint8, 0, 255, 128), (np.int8, -128, 127, 3)):
        name = np.dtype(kind).name
        x, scale = draw.floats(3, 4), single(0.1)
        yield node(f"quantised/QuantizeLinear {name}", "QuantizeLinear", x, scale, single(zero, kind))
        whole = draw.ints(3, 4, low=low, high=high, dtype=kind)
        yield node(f"quantised/DequantizeLinear {name}", "DequantizeLinear", whole, scale)
        yield node(
            f"quantised/DequantizeLinear {name} zero point", "DequantizeLinear", whole, scale, single(zero, kind)
        )
        for axis, shape in ((0, (5, 7)), (1, (5, 7)), (1, (2, 3, 4, 5)), (-1, (3, 8))):
            values = draw.ints(*shape, low=low, high=high, dtype=kind)
            many = fixed(draw.positive(shape[axis])), fixed(draw.ints(shape[axis], high=9, dtype=kind))
            what = f"quantised/DequantizeLinear {name} axis {axis} of rank {len(shape)}"
            yield node(what, "DequantizeLinear", values, *many, axis=axis)
        weights = fixed(draw.ints(5, 7, low=low, high=high, dtype=kind)), fixed(draw.positive(5))
        yield node(f"quantised/DequantizeLinear {name} weights", "DequantizeLinear", *weights, axis=0)
        blocks = draw.ints(8, 6, low=low, high=high, dtype=kind), fixed(draw.positive(2, 6))
        yield node(
            f"quantised/DequantizeLinear {name} blocks", "DequantizeLinear", *blocks, opset=21, axis=0, block_size=4
        )
        yield node(f"quantised/QuantizeLinear {name} axis", "QuantizeLinear", x, fixed(draw.positive(4)), axis=1)
    for opset in (10, 13, 19, 21, 23, 24, 25):
        given = draw.ints(3, 4, high=255, dtype=np.uint8), single(0.1), single(128, np.uint8)
        yield node(f"quantised/DequantizeLinear opset {opset}", "DequantizeLinear", *given, opset=opset)
    wide = draw.ints(3, 4, low=-1000, high=1000), single(0.1)
    yield node("quantised/DequantizeLinear int32", "DequantizeLinear", *wide)
    yield node("quantised/DequantizeLinear int32 zero point", "DequantizeLinear", *wide, single(0, np.int32))
    yield node("quantised/DynamicQuantizeLinear", "DynamicQuantizeLinear", draw.floats(3, 4), outputs=3)
    yield from _products(draw)


def _products(draw: Draw) -> Iterator[Probe]:
    a, b = draw.ints(3, 4, high=255, dtype=np.uint8), draw.ints(4, 5, high=100, dtype=np.int8)
    yield node("quantised/MatMulInteger", "MatMulInteger", a, b)
    yield node("quantised/MatMulInteger zero points", "MatMulInteger", a, b, single(3, np.uint8), single(1, np.int8))
    picture, filters = draw.ints(1, 3, 6, 6, high=255, dtype=np.uint8), draw.ints(4, 3, 3, 3, high=9, dtype=np.uint8)
    yield node("quantised/ConvInteger", "ConvInteger", picture, filters)
    scales = single(0.1), single(3, np.uint8)
    yield node(
        "quantised/QLinearMatMul",
        "QLinearMatMul",
        a,
        *scales,
        b.view(np.uint8),
        *scales,
        single(9),
        single(0, np.uint8),
    )
    given = picture, *scales, filters, *scales, single(2), single(0, np.uint8)
    yield node("quantised/QLinearConv", "QLinearConv", *given)
