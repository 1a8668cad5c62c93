"""Binary operators: broadcasting, element types, division, powers, comparisons, booleans."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webbuild.probe.probe_model import Probe, make_probe
from webbuild.probe.random_data import RandomData

_SHAPES = {
    "same": ((3, 4), (3, 4)),
    "same, odd": ((3, 7), (3, 7)),
    "a row": ((2, 3, 8), (8,)),
    "a row, odd": ((2, 3, 7), (7,)),
    "a column": ((2, 3, 8), (3, 1)),
    "a column, odd": ((2, 3, 7), (3, 1)),
    "outer": ((2, 1, 8), (1, 3, 8)),
    "outer, both axes": ((3, 1), (1, 5)),
    "vector and column": ((4,), (4, 1)),
    "small first": ((8,), (2, 3, 8)),
    "lower rank": ((4, 4), (2, 3, 4, 4)),
    "ones of lower rank": ((1, 1), (2, 3, 4, 4)),
    "one element": ((1,), (2, 3, 4, 4)),
    "one element last": ((2, 3, 4, 4), (1,)),
    "leading ones": ((4,), (1, 1, 4)),
    "column of lower rank": ((8, 1), (1, 2, 8, 8)),
    "row of full rank": ((2, 3, 5, 8), (1, 1, 1, 8)),
    "mask": ((2, 4, 8, 8), (2, 1, 1, 8)),
    "per channel": ((1, 3, 4, 4), (3, 1, 1)),
    "rank 5": ((2, 1, 3, 1, 4), (1, 3, 1, 2, 4)),
}
_THREE: dict[str, tuple[tuple[int, ...], ...]] = {
    "three ways": ((3, 1, 1), (1, 4, 1), (1, 1, 5)),
    "three ranks": ((5,), (4, 1), (3, 1, 1)),
    "condition of one": ((1,), (3, 7), (7,)),
    "choices of one": ((3, 7), (1,), (1,)),
    "mask of attention": ((1, 1, 4, 4), (2, 3, 4, 4), (1,)),
    "mask of attention, odd": ((1, 1, 5, 7), (2, 3, 5, 7), (1,)),
    "rows of keys": ((2, 1, 1, 7), (1,), (2, 3, 5, 7)),
}
_FEW = ("same", "same, odd", "a row", "outer, both axes", "one element last")
_COMPARISONS = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for what, (a, b) in _SHAPES.items():
        yield make_probe(f"Add {what}", draw.floats(*a), draw.floats(*b))
        yield make_probe(f"Where {what}", draw.bools(*a), draw.floats(*b), draw.floats(1))
        yield make_probe(f"Max {what}", draw.floats(*a), draw.floats(*b))
        yield make_probe(f"Greater {what}", draw.floats(*a), draw.floats(*b))
    for what in _FEW:
        a, b = _SHAPES[what]
        for op in ("Sub", "Mul", "Div", "Min", "Pow"):
            yield make_probe(f"{op} {what}", draw.positive(*a), draw.positive(*b))
        for op in ("And", "Or", "Xor"):
            yield make_probe(f"{op} {what}", draw.bools(*a), draw.bools(*b))
        yield make_probe(f"PRelu {what}", draw.floats(*a), draw.floats(*b))
        yield make_probe(f"Equal {what}", *(draw.ints(*s, high=2).astype(np.float32) for s in (a, b)))
        yield make_probe(f"Equal {what} bool", draw.bools(*a), draw.bools(*b))
    for kind in (np.int32, np.int64, np.uint32):
        yield from _whole(draw, kind)
    yield from _division()
    yield from _powers(draw)
    yield from _odd(draw)
    yield make_probe("Where bool", draw.bools(3, 1), draw.bools(3, 5), draw.bools(1, 5))
    yield make_probe("Where bool same", draw.bools(3, 4), draw.bools(3, 4), draw.bools(3, 4))
    for other in (np.int32, np.int64, np.uint8):
        three = draw.bools(3, 1), draw.ints(3, 5, dtype=other), draw.ints(1, 5, dtype=other)
        yield make_probe(f"Where {np.dtype(other).name}", *three)
    for what, (condition, *choices) in _THREE.items():
        inputs = draw.bools(*condition), *(draw.floats(*shape) for shape in choices)
        yield make_probe(f"Where {what}", *inputs)
    yield make_probe("PRelu per channel", draw.floats(1, 3, 4, 4), draw.floats(3, 1, 1))


def _whole(draw: RandomData, kind: type) -> Iterator[Probe]:
    name = np.dtype(kind).name
    for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Mod", *_COMPARISONS):
        a, b = draw.ints(3, 4, low=5, high=50, dtype=kind), draw.ints(4, low=1, high=6, dtype=kind)
        yield make_probe(f"{op} {name}", a, b, opset=18)
    if kind is not np.uint32:
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            yield make_probe(f"{op} {name}", draw.ints(5, dtype=kind), draw.ints(5, dtype=kind), opset=18)


def _division() -> Iterator[Probe]:
    signs = (-7, 7, -7, 7), (2, -2, -2, 2)
    for kind in (np.int32, np.int64):
        name = np.dtype(kind).name
        yield make_probe(f"Div {name} below zero", *(np.array(v, kind) for v in signs))
        yield make_probe(f"Mod {name} below zero", *(np.array(v, kind) for v in signs))
        yield make_probe(f"Mod {name} fmod", *(np.array(v, kind) for v in signs), fmod=1)
    yield make_probe("Mod fmod", np.array([-7.5, 7.5], np.float32), np.array([2, -2], np.float32), fmod=1)
    yield make_probe("Div by zero", np.array([7, 0, -1], np.float32), np.zeros(3, np.float32))
    shift = np.array([1, 4, 9], np.uint32), np.array([1, 2, 1], np.uint32)
    yield make_probe("BitShift left", *shift, direction="LEFT")
    yield make_probe("BitShift right", *shift, direction="RIGHT")


def _powers(draw: RandomData) -> Iterator[Probe]:
    base = np.array([-2.5, -2, -1, -0.5, 0.5, 1, 3], np.float32)
    for power in (0, 1, 2, 3, -1, -2):
        for kind in (np.float32, np.int32, np.int64):
            yield make_probe(f"Pow by {power} of {np.dtype(kind).name}", base, np.array(power, kind))
    yield make_probe("Pow by 0.5", np.abs(base), np.array(0.5, np.float32))
    yield make_probe("Pow by 0.5 below zero", base, np.array(0.5, np.float32))
    yield make_probe("Pow below zero, by a tensor", base[:3], np.array([2, 3, 4], np.float32))
    yield make_probe("Pow of zero", np.zeros(3, np.float32), np.array([0, 1, 2], np.float32))
    yield make_probe("Pow of 10000", np.array(10000, np.float32), np.linspace(0, 1, 9).astype(np.float32))
    for kind in (np.int32, np.int64):
        yield make_probe(f"Pow {np.dtype(kind).name}", np.array([-2, 3, 2], kind), np.array([2, 3, 4], kind))
    yield make_probe("Pow int32 by float", np.array([2, 3, 5], np.int32), np.array([2, 1, 3], np.float32))
    yield make_probe("Pow large", draw.positive(4) * 100, np.array(5, np.float32))
    rows = np.abs(base[:4]).reshape(1, 4).repeat(3, axis=0)
    yield make_probe("Pow by a column", rows, np.array([[1], [2], [3]], np.float32))


def _odd(draw: RandomData) -> Iterator[Probe]:
    a = np.array([np.nan, 1, np.nan, np.inf], np.float32)
    b = np.array([0, np.nan, np.nan, np.inf], np.float32)
    for op in (*_COMPARISONS, "Add", "Mul", "Max", "Min"):
        yield make_probe(f"{op} nan and infinities", a, b)
    yield make_probe("Max one", draw.floats(4))
    yield make_probe("Sum three", draw.floats(3, 4), draw.floats(4), draw.floats(1))
    yield make_probe("Mean three", draw.floats(3, 4), draw.floats(4), draw.floats(1))
