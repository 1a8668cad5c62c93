"""The form in which weights are stored small: a table of pieces, their scales, their whole numbers.

A file, little-endian, every count a uint32:

    4 bytes      WBW1
    count        of the pieces
    6 counts     for each piece: kind, offset, groups, block, channels, inner
    float32s     the scales of all pieces, groups * channels for each that has any
    bytes        of each piece in turn: its bytes as they are (kind 0), its int8s (kind 1), or the high and then the low
                 bytes of its int16s (kind 2), groups * block * channels * inner of them

It stands for a file of which it says no more than that: `offset` is where a piece begins in it, in ascending order and
without overlap; what lies between is zero. Seen as an array [groups, block, channels, inner], number [g, b, c, i] of a
piece becomes the float32 product of itself and scale [g, c], rounded once. A piece of kind 0 is `inner` bytes long.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Literal

from msgspec import Struct

from webbuild.errors import WebbuildError

MAGIC = b"WBW1"
_HEAD = struct.Struct("<4sI")
_PIECE = struct.Struct("<6I")

Kind = Literal["bytes", "int8", "int16"]
_KINDS: tuple[Kind, ...] = ("bytes", "int8", "int16")


class Grid(Struct, frozen=True):
    """How the numbers of a tensor share scales: seen as [groups, block, channels, inner], one for each [g, c]."""

    groups: int
    block: int
    channels: int
    inner: int

    @property
    def numbers(self) -> int:
        """How many there are."""
        return prod(self.shape)

    @property
    def scales(self) -> int:
        """How many there are."""
        return self.groups * self.channels

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The grid as an array's shape."""
        return self.groups, self.block, self.channels, self.inner


class Piece(Struct, frozen=True):
    """A tensor of the file that is stood for, or bytes of it as they are, on a grid [1, 1, 1, bytes]."""

    kind: Kind
    offset: int
    grid: Grid

    @property
    def scales(self) -> int:
        """How many it has."""
        return 0 if self.kind == "bytes" else self.grid.scales

    @property
    def stored(self) -> int:
        """How many bytes it is stored in, its scales aside."""
        return self.grid.numbers * (2 if self.kind == "int16" else 1)

    @property
    def end(self) -> int:
        """Where it ends in the file that is stood for."""
        return self.offset + self.grid.numbers * (1 if self.kind == "bytes" else 4)


def head(pieces: Sequence[Piece]) -> bytes:
    """Return what a file begins with: all that stands in front of the scales."""
    table = (_PIECE.pack(_KINDS.index(piece.kind), piece.offset, *piece.grid.shape) for piece in pieces)
    return _HEAD.pack(MAGIC, len(pieces)) + b"".join(table)


def read_head(data: bytes, size: int, file: str) -> tuple[list[Piece], int]:
    """Read what a file begins with, and check that the rest of it is as long as that says.

    Args:
        data: the file.
        size: of the file that it stands for.
        file: its name, for errors.

    Returns:
        The pieces, and where the scales begin.

    Raises:
        WebbuildError: `bad-weights`.
    """
    if len(data) < _HEAD.size or data[:4] != MAGIC:
        raise bad(file, "it does not begin as stored weights do")
    _, count = _HEAD.unpack_from(data)
    behind = _HEAD.size + count * _PIECE.size
    if behind > len(data):
        raise bad(file, f"{len(data)} bytes hold no table of {count} pieces")
    pieces = [_piece(each, file) for each in _PIECE.iter_unpack(data[_HEAD.size : behind])]
    for before, after in pairwise(pieces):
        if after.offset < before.end:
            raise bad(file, f"the piece at {after.offset} begins before {before.end}, where another ends")
    if pieces and pieces[-1].end > size:
        raise bad(file, f"its last piece ends at {pieces[-1].end}, behind the {size} bytes that it stands for")
    wanted = behind + sum(4 * piece.scales + piece.stored for piece in pieces)
    if wanted != len(data):
        raise bad(file, f"its pieces take {wanted} bytes, not {len(data)}")
    return pieces, behind


def _piece(fields: tuple[int, ...], file: str) -> Piece:
    kind, offset, *shape = fields
    piece = Piece(_KINDS[kind] if kind < len(_KINDS) else "bytes", offset, Grid(*shape))
    whole = kind == 0 and shape[:3] == [1, 1, 1]
    if not (whole or kind in (1, 2)) or not piece.grid.numbers or (offset % 4 and not whole):
        raise bad(file, f"there is no piece of kind {kind} and shape {shape} at {offset}")
    return piece


def spans(pieces: Sequence[Piece], start: int) -> Iterator[tuple[Piece, int, int]]:
    """Give each piece, where its scales begin in the file, and where its bytes do; `start` is where the scales do."""
    scales, numbers = start, start + 4 * sum(piece.scales for piece in pieces)
    for piece in pieces:
        yield piece, scales, numbers
        scales += 4 * piece.scales
        numbers += piece.stored


def bad(file: str, what: str) -> WebbuildError:
    """Return the error of a file that is not what it should be."""
    return WebbuildError("bad-weights", f"{file}: {what}", "pack the model again; never edit a bundle by hand")
