"""Symbolic images of unknown size: expressions in a normal form, so that equal images compare equal."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.passes.analysis.size_terms import Term, known_number, number, plus, unknown

_TO_THE_END = 2**31 - 1
"""From this end on, a Slice takes the rest of the axis."""


class Picture(Struct, frozen=True):
    """An image as an expression, and its symbolic sizes: [..., height, width]."""

    term: object
    sizes: tuple[Term, ...]


def resized(picture: Picture, sizes: Sequence[Term], mode: str) -> Picture:
    """Return an image resized with a coordinate transformation mode of Resize."""
    return Picture(("resized", picture.term, tuple(sizes), mode), tuple(sizes))


def zeros(sizes: Sequence[Term]) -> Picture:
    """Return an image of zeros."""
    return Picture(("zeros", tuple(sizes)), tuple(sizes))


def cut(picture: Picture, axis: int, start: Term, end: Term) -> Picture:
    """Return a slice of an image along a negative axis."""
    first, last = known_number(start), known_number(end)
    if first == 0 and last is not None and last >= _TO_THE_END:
        return picture
    term = ("cut", picture.term, axis, start, end)
    # start and end may be outside the image, so the size is not end - start but a new unknown
    return Picture(term, _with_size(picture, axis, unknown(term)))


def stacked(parts: Sequence[Picture], axis: int) -> Picture:
    """Return three images concatenated along a negative axis."""
    total = number(0)
    for part in parts:
        total = plus(total, part.sizes[axis])
    term = ("stacked", tuple(part.term for part in parts), axis)
    return Picture(term, _with_size(parts[1], axis, total))


def _with_size(picture: Picture, axis: int, size: Term) -> tuple[Term, ...]:
    index = axis % len(picture.sizes)
    return (*picture.sizes[:index], size, *picture.sizes[index + 1 :])
