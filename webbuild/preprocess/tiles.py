"""Tiling of a picture that is larger than a model's input: each tile's position, and the part of it to keep."""

from __future__ import annotations

import itertools

from msgspec import Struct


class Span(Struct, frozen=True):
    """A tile along one axis, in pixels of the picture: it begins at `offset`, and `start` to `end` of it is kept."""

    offset: int
    start: int
    end: int


def fits_halo(size: int, halo: int, multiple: int) -> bool:
    """Whether a tile without its halo is at least one `multiple` wide, so that tiles can advance."""
    return size - 2 * halo >= multiple


def tile_spans(length: int, size: int, halo: int, multiple: int) -> list[Span]:
    """Return the tiles along an axis of a picture, in order.

    Offsets are multiples of `multiple`, spread evenly; the last tile ends where the picture does. If the picture is
    smaller than a tile, or the last offset is not a multiple, the picture is extended by its last pixel. Each of two
    overlapping tiles keeps half of the overlap: a kept pixel is at least `halo` from an edge of its tile that is not an
    edge of the picture.

        offset(k) = multiple floor(k D / (n - 1)), D = ceil((length - size) / multiple)
        n - 1 = ceil(D / floor((size - 2 halo) / multiple))
    """
    distance = max(0, -(-(length - size) // multiple))
    last = -(-distance // ((size - 2 * halo) // multiple))
    offsets = [multiple * (at * distance // max(1, last)) for at in range(last + 1)]
    cuts = [(one + size + other) // 2 for one, other in itertools.pairwise(offsets)]
    ends = zip(offsets, [0, *cuts], [*cuts, length], strict=True)
    return [Span(offset, start, end) for offset, start, end in ends]


class Tile(Struct, frozen=True):
    """A tile of a picture: its horizontal range (`column`) and its vertical range (`row`)."""

    column: Span
    row: Span


def tiles_of(width: int, height: int, input_size: tuple[int, int], halo: int, multiple: int) -> list[Tile]:
    """Return the tiles of a picture, row by row from the upper left; the input's size is (height, width)."""
    high, wide = input_size
    columns = tile_spans(width, wide, halo, multiple)
    return [Tile(column, row) for row in tile_spans(height, high, halo, multiple) for column in columns]
