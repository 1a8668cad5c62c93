"""Symbolic pictures of unknown sizes: expressions of operations, in a form in which equal pictures compare equal."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.passes.analysis.size_terms import Term, known_number, number, plus, unknown

_TO_THE_END = 2**31 - 1
"""The end from which on a Slice takes the whole axis."""


class Picture(Struct, frozen=True):
    """A picture as an expression, and its symbolic sizes: [..., height, width]."""

    term: object
    sizes: tuple[Term, ...]


def resized(picture: Picture, sizes: Sequence[Term], mode: str) -> Picture:
    """Return a picture of other sizes, by a mode of Resize."""
    return Picture(("resized", picture.term, tuple(sizes), mode), tuple(sizes))


def zeros(sizes: Sequence[Term]) -> Picture:
    """Return a picture of zeros."""
    return Picture(("zeros", tuple(sizes)), tuple(sizes))


def cut(picture: Picture, axis: int, start: Term, end: Term) -> Picture:
    """Return a part of a picture along an axis that is counted from the end."""
    first, last = known_number(start), known_number(end)
    if first == 0 and last is not None and last >= _TO_THE_END:
        return picture
    term = ("cut", picture.term, axis, start, end)
    # as a start or an end beyond the picture cuts less, its size is one more unknown number
    return Picture(term, _with_size(picture, axis, unknown(term)))


def stacked(parts: Sequence[Picture], axis: int) -> Picture:
    """Return three pictures joined along an axis that is counted from the end."""
    total = number(0)
    for part in parts:
        total = plus(total, part.sizes[axis])
    term = ("stacked", tuple(part.term for part in parts), axis)
    return Picture(term, _with_size(parts[1], axis, total))


def _with_size(picture: Picture, axis: int, size: Term) -> tuple[Term, ...]:
    index = axis % len(picture.sizes)
    return (*picture.sizes[:index], size, *picture.sizes[index + 1 :])
