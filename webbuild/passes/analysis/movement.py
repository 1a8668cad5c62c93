"""Chains of operators that only move elements, expressed as one Transpose or one Gather."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import pairwise

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.passes.analysis.moved_elements import moved_elements
from webbuild.passes.rewrite import constant, static_shape

KERNELS = frozenset({"Concat", "Gather", "Slice", "Split", "Transpose"})
"""Operators that start a shader. Those that only change the shape start none."""
MOVING = KERNELS | {"Flatten", "Reshape", "Squeeze", "Unsqueeze"}

Indices = NDArray[np.int64]

_NEAR = 4096
"""Number of indices that are searched first for the end of a row, as most rows are short."""


class Transposition(Struct, frozen=True):
    """Reshape to `sizes`, then Transpose by `perm`; both are empty if the elements stay in order."""

    sizes: tuple[int, ...]
    perm: tuple[int, ...]


class RowSelection(Struct, frozen=True):
    """A Gather of rows of `length` elements, by their indices `rows`."""

    rows: Indices
    length: int


def moved_data(node: ir.Node) -> list[ir.Value] | None:
    """Return the values whose elements a node moves, None for other nodes."""
    if node.domain not in ("", "ai.onnx") or node.op_type not in MOVING:
        return None
    inputs = node.inputs if node.op_type == "Concat" else node.inputs[:1]
    values = [value for value in inputs if value is not None]
    return values if len(values) == len(inputs) else None


def takes_every_row(node: ir.Node) -> bool:
    """Whether a node is a Gather of all rows in order, which stops ONNX Runtime from moving a Transpose past it."""
    if node.op_type != "Gather":
        return False
    shape, numbers = static_shape(node.inputs[0]), constant(node.inputs[1])
    if numbers is None or not shape or node.attributes.get_int("axis", 0) % len(shape):
        return False
    return np.array_equal(numbers, np.arange(shape[0]))


def element_sources(
    nodes: Sequence[ir.Node], source: ir.Value, shape: Sequence[int], result: ir.Value
) -> Indices | None:
    """Return the flat index in `source` of each element of `result`, None if a movement is not constant."""
    count = math.prod(shape)
    known = {source: np.arange(count).reshape(tuple(shape))}
    for node in nodes:
        moved = moved_elements(node, [known[value] for value in moved_data(node) or []])
        if moved is None:
            return None
        known.update(zip(node.outputs, moved, strict=True))
    return known[result].ravel()


def movement_key(chain: Sequence[ir.Node], source: ir.Value, result: ir.Value) -> Hashable:
    """Return a cache key for the movement of a chain: its operators, their constants and their inputs.

    The layers of a network repeat the same chains; with the key each is analyzed once.
    """
    values = [source, *(output for node in chain for output in node.outputs)]
    numbers = {value: number for number, value in enumerate(values)}
    nodes = tuple(
        (
            node.op_type,
            tuple(sorted((name, attribute.value) for name, attribute in node.attributes.items())),
            tuple("" if value is None else numbers.get(value, _constant_key(value)) for value in node.inputs),
            len(node.outputs),
        )
        for node in chain
    )
    return tuple(static_shape(source) or ()), tuple(static_shape(result) or ()), nodes, numbers[result]


def _constant_key(value: ir.Value) -> Hashable:
    array = constant(value)
    return None if array is None else (array.shape, array.tobytes())


def as_transposition(places: Indices, count: int) -> Transposition | None:
    """Return the Transpose that reads `count` elements from these indices, None if no single one does.

    The indices are split into nested loops, the innermost first. [0 3 1 4 2 5] is 2 steps of 3 inside 3 steps of 1:
    a Transpose of [2, 3].
    """
    if len(places) != count or not count or places[0] != 0:
        return None
    loops: list[tuple[int, int]] = []  # steps and sizes, the innermost first
    rest = places
    while len(rest) > 1:
        step = int(rest[1] - rest[0])
        size = _steps_alike(rest, step)
        if step <= 0 or len(rest) % size:
            return None
        loops.append((step, size))
        rest = rest[::size]
    loops.reverse()
    if len(loops) < 2:
        return Transposition((), ()) if not loops or loops[0][0] == 1 else None
    order = sorted(range(len(loops)), key=lambda at: -loops[at][0])
    sizes = tuple(loops[at][1] for at in order)
    steps = [loops[at][0] for at in order]
    if any(step != size * inner for (step, inner), size in zip(pairwise([*steps, 1]), [*sizes[1:], 1], strict=True)):
        return None
    transposition = Transposition(sizes, tuple(order.index(at) for at in range(len(loops))))
    return (
        transposition
        if np.array_equal(np.arange(count).reshape(sizes).transpose(transposition.perm).ravel(), places)
        else None
    )


def _steps_alike(places: Indices, step: int) -> int:
    """Return the number of indices at the start that are apart by this step."""
    for looked_at in (_NEAR, len(places)):
        ends = np.flatnonzero(np.diff(places[:looked_at]) != step)
        if len(ends):
            return int(ends[0]) + 1
    return len(places)


def as_rows(places: Indices, count: int) -> RowSelection:
    """Return the Gather of the longest possible rows that reads these indices of `count` elements."""
    breaks = np.flatnonzero(np.diff(places) != 1) + 1
    length = math.gcd(count, len(places), int(np.gcd.reduce(breaks, initial=0)), int(places[0]))
    length = math.gcd(length, int(np.gcd.reduce(places[breaks], initial=0)))
    return RowSelection(places[::length] // length, length)
