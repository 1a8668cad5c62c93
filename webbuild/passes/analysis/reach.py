"""Reach: the image positions that the elements of a value depend on, along one axis of the image.

A bound is an array with the rank of the value: for each element the first position, or minus the last position. So the
bound of an output element is the minimum of the bounds of the elements that it reads. Axes along which a bound is
constant have length 1 in it. Positions continue beyond the edges of the image, as a padded Conv reads them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Bound = NDArray[np.int64]
Table = NDArray[np.int64]
"""Input positions that each output position along an axis reads, [outputs, reads]; they may be out of range."""

_MAX_ELEMENTS = 1 << 25
"""Largest number of elements of a bound. Larger ones combine positions of the image pair by pair, as attention does."""


class UnknownReachError(Exception):
    """The positions that a node reads are unknown; the message says why, as the rest of a sentence after its name."""


def reduced(bound: Bound) -> Bound:
    """Return the bound with length 1 along each axis where it is constant."""
    for axis, (length, stride) in enumerate(zip(bound.shape, bound.strides, strict=True)):
        first = bound.take([0], axis) if length else bound
        if length > 1 and (stride == 0 or bool((bound == first).all())):
            bound = first
    return bound


def varies(bound: Bound) -> list[int]:
    """Return the axes along which the bound is not constant."""
    return [axis for axis, length in enumerate(bound.shape) if length > 1]


def period(bound: Bound, axis: int) -> tuple[int, int] | None:
    """Return (p, d) such that the bound of the element p further along an axis is always d larger: a[i + p] = a[i] + d.

    None if there is no such p up to half of the length. The image itself has (1, 1), the image downscaled by 2 (1, 2),
    upscaled by 2 with nearest (2, 1).
    """
    steps = np.moveaxis(np.diff(bound, axis=axis), axis, 0)
    return _period(steps.tobytes(), steps.shape)


@lru_cache(maxsize=1024)
def _period(data: bytes, shape: tuple[int, ...]) -> tuple[int, int] | None:
    steps: Bound = np.frombuffer(data, np.int64).reshape(shape[0], -1)
    column = steps[:, 0]
    for size in range(1, (len(steps) + 1) // 2 + 1):
        if size < len(steps) and column[size] != column[0]:
            continue
        if not np.array_equal(column[size:], column[:-size]) or not np.array_equal(steps[size:], steps[:-size]):
            continue
        advances = steps[:size].sum(axis=0)
        return (size, int(advances[0])) if bool((advances == advances[0]).all()) else None
    return None


def windowed(bound: Bound, axis: int, table: Table) -> Bound:
    """Return the bound of an operator that reads, at each output position along an axis, the positions of a table.

    Raises:
        UnknownReachError: the table goes beyond the ends of the axis, and the bound has no period to extend it by.
    """
    length = bound.shape[axis]
    if length == 1:
        return bound
    inside, beyond = table, np.zeros_like(table)
    if table.min() < 0 or table.max() >= length:
        shift = period(bound, axis)
        if shift is None:
            raise UnknownReachError("reads positions at irregular distances")
        size, step = shift
        # a[j] = a[j + q p] - q d for j < 0, and the same with a negative q for j >= length
        turns = np.where(table < 0, -(table // size), np.where(table >= length, (length - 1 - table) // size, 0))
        inside, beyond = table + turns * size, -turns * step
    read = bound.take(inside, axis)  # [..., outputs, reads, ...]
    along = [1] * read.ndim
    along[axis : axis + 2] = table.shape
    return reduced((read + beyond.reshape(along)).min(axis=axis + 1))


def reshaped(bound: Bound, before: Sequence[int], after: Sequence[int]) -> Bound:
    """Return the bound of a value after a Reshape from the shape `before` to the shape `after`.

    [1, 3, H, 4, W, 4] -> [1, 3, 4 H, 4 W] is split into parts: H, 4 -> 4 H if the bound varies there, else 1 -> 1.
    """
    full: list[int] = []
    joined: list[int] = []
    for old, new in _parts(before, after):
        lengths = bound.shape[old]
        same = all(length == 1 for length in lengths)
        full += lengths if same else before[old]
        joined += [1] * len(after[new]) if same else after[new]
    _require_room(math.prod(full))
    return reduced(np.broadcast_to(bound, full).reshape(joined))


def _parts(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[slice, slice]]:
    """Yield the shortest runs of axes that have the same number of elements in both shapes."""
    old = new = 0
    while old < len(before) or new < len(after):
        to_old, to_new = min(old + 1, len(before)), min(new + 1, len(after))
        while math.prod(before[old:to_old]) != math.prod(after[new:to_new]):
            if math.prod(before[old:to_old]) < math.prod(after[new:to_new]):
                to_old += 1
            else:
                to_new += 1
        yield slice(old, to_old), slice(new, to_new)
        old, new = to_old, to_new


def least(bounds: Sequence[Bound]) -> Bound:
    """Return the bound of an elementwise operator with broadcasting."""
    _require_room(math.prod(np.broadcast_shapes(*(each.shape for each in bounds))))
    smallest = bounds[0]
    for each in bounds[1:]:
        smallest = np.minimum(smallest, each)
    return reduced(smallest)


def _require_room(elements: int) -> None:
    if elements > _MAX_ELEMENTS:
        raise UnknownReachError("combines every pair of positions of the picture")
