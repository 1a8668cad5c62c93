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
_HEADER = struct.Struct("<4sI")
_CHUNK = struct.Struct("<6I")

ChunkKind = Literal["bytes", "int8", "int16"]
_CHUNK_KINDS: tuple[ChunkKind, ...] = ("bytes", "int8", "int16")


class ScaleLayout(Struct, frozen=True):
    """How the numbers of a tensor share scales: seen as [groups, block, channels, inner], one for each [g, c]."""

    groups: int
    block: int
    channels: int
    inner: int

    @property
    def value_count(self) -> int:
        """How many there are."""
        return prod(self.shape)

    @property
    def scale_count(self) -> int:
        """How many there are."""
        return self.groups * self.channels

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The grid as an array's shape."""
        return self.groups, self.block, self.channels, self.inner


class Chunk(Struct, frozen=True):
    """A tensor of the file that is stood for, or bytes of it as they are, on a grid [1, 1, 1, bytes]."""

    kind: ChunkKind
    offset: int
    layout: ScaleLayout

    @property
    def scale_count(self) -> int:
        """How many it has."""
        return 0 if self.kind == "bytes" else self.layout.scale_count

    @property
    def stored_bytes(self) -> int:
        """How many bytes it is stored in, its scales aside."""
        return self.layout.value_count * (2 if self.kind == "int16" else 1)

    @property
    def end(self) -> int:
        """Where it ends in the file that is stood for."""
        return self.offset + self.layout.value_count * (1 if self.kind == "bytes" else 4)


def encode_header(pieces: Sequence[Chunk]) -> bytes:
    """Return what a file begins with: all that stands in front of the scales."""
    table = (_CHUNK.pack(_CHUNK_KINDS.index(piece.kind), piece.offset, *piece.layout.shape) for piece in pieces)
    return _HEADER.pack(MAGIC, len(pieces)) + b"".join(table)


def decode_header(data: bytes, size: int, file: str) -> tuple[list[Chunk], int]:
    """Read what a file begins with, and check that the rest of it is as long as that says.

    Args:
        data: the file.
        size: of the file that it stands for.
        file: its name, for errors.

    Returns:
        The pieces, and where the scales begin.

    Raises:
        WebbuildError: `invalid-weights`.
    """
    if len(data) < _HEADER.size or data[:4] != MAGIC:
        raise invalid_file(file, "it does not begin as stored weights do")
    _, count = _HEADER.unpack_from(data)
    behind = _HEADER.size + count * _CHUNK.size
    if behind > len(data):
        raise invalid_file(file, f"{len(data)} bytes hold no table of {count} pieces")
    pieces = [_decode_chunk(each, file) for each in _CHUNK.iter_unpack(data[_HEADER.size : behind])]
    for before, after in pairwise(pieces):
        if after.offset < before.end:
            raise invalid_file(file, f"the piece at {after.offset} begins before {before.end}, where another ends")
    if pieces and pieces[-1].end > size:
        raise invalid_file(file, f"its last piece ends at {pieces[-1].end}, after the {size} bytes that it stands for")
    wanted = behind + sum(4 * piece.scale_count + piece.stored_bytes for piece in pieces)
    if wanted != len(data):
        raise invalid_file(file, f"its pieces take {wanted} bytes, not {len(data)}")
    return pieces, behind


def _decode_chunk(fields: tuple[int, ...], file: str) -> Chunk:
    kind, offset, *shape = fields
    piece = Chunk(_CHUNK_KINDS[kind] if kind < len(_CHUNK_KINDS) else "bytes", offset, ScaleLayout(*shape))
    whole = kind == 0 and shape[:3] == [1, 1, 1]
    if not (whole or kind in (1, 2)) or not piece.layout.value_count or (offset % 4 and not whole):
        raise invalid_file(file, f"there is no piece of kind {kind} and shape {shape} at {offset}")
    return piece


def iter_chunk_offsets(pieces: Sequence[Chunk], start: int) -> Iterator[tuple[Chunk, int, int]]:
    """Give each piece, where its scales begin in the file, and where its bytes do; `start` is where the scales do."""
    scales, numbers = start, start + 4 * sum(piece.scale_count for piece in pieces)
    for piece in pieces:
        yield piece, scales, numbers
        scales += 4 * piece.scale_count
        numbers += piece.stored_bytes


def invalid_file(file: str, what: str) -> WebbuildError:
    """Return the error of a file that is not what it should be."""
    return WebbuildError("invalid-weights", f"{file}: {what}", "pack the model again; never edit a bundle by hand")
