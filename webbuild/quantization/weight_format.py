"""File format of quantized weights: a table of pieces, their scales, their integers.

The file is little-endian, and every count is a uint32:

    4 bytes      WBW1
    count        the number of pieces
    6 counts     for each piece: kind, offset, groups, block, channels, inner
    float32s     the scales of all pieces, groups * channels for each piece of kind 1 or 2
    bytes        of each piece: unchanged bytes (kind 0), int8s (kind 1), or the high bytes and then the low bytes of
                 int16s (kind 2), groups * block * channels * inner elements

It encodes a weight file: `offset` is the start of a piece in that file, in ascending order and without overlap; gaps
are zeros. As an array [groups, block, channels, inner], number [g, b, c, i] of a piece decodes to its float32 product
with scale [g, c], rounded once. A piece of kind 0 has `inner` bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Literal

from msgspec import Struct

from webbuild.errors import WebbuildError

_MAGIC = b"WBW1"
_HEADER = struct.Struct("<4sI")
_CHUNK = struct.Struct("<6I")

ChunkKind = Literal["bytes", "int8", "int16"]
_CHUNK_KINDS: tuple[ChunkKind, ...] = ("bytes", "int8", "int16")


class ScaleLayout(Struct, frozen=True):
    """Layout of a tensor's scales: as an array [groups, block, channels, inner], one scale for each [g, c]."""

    groups: int
    block: int
    channels: int
    inner: int

    @property
    def value_count(self) -> int:
        """The number of values."""
        return prod(self.shape)

    @property
    def scale_count(self) -> int:
        """The number of scales."""
        return self.groups * self.channels

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The layout as an array shape."""
        return self.groups, self.block, self.channels, self.inner


class Chunk(Struct, frozen=True):
    """A tensor of the weight file, or unchanged bytes of it, with the layout [1, 1, 1, bytes]."""

    kind: ChunkKind
    offset: int
    layout: ScaleLayout

    @property
    def scale_count(self) -> int:
        """The number of scales, 0 for bytes."""
        return 0 if self.kind == "bytes" else self.layout.scale_count

    @property
    def stored_bytes(self) -> int:
        """The number of stored bytes, without the scales."""
        return self.layout.value_count * (2 if self.kind == "int16" else 1)

    @property
    def end(self) -> int:
        """The end offset in the weight file."""
        return self.offset + self.layout.value_count * (1 if self.kind == "bytes" else 4)


def encode_header(pieces: Sequence[Chunk]) -> bytes:
    """Return the header of a file: everything before the scales."""
    table = (_CHUNK.pack(_CHUNK_KINDS.index(piece.kind), piece.offset, *piece.layout.shape) for piece in pieces)
    return _HEADER.pack(_MAGIC, len(pieces)) + b"".join(table)


def decode_header(data: bytes, size: int, file: str) -> tuple[list[Chunk], int]:
    """Read the header of a file, and check the length of the rest.

    Args:
        data: the contents of the file.
        size: the size of the weight file that it encodes.
        file: its name, for errors.

    Returns:
        The pieces, and the offset of the scales.

    Raises:
        WebbuildError: `invalid-weights`.
    """
    if len(data) < _HEADER.size or data[:4] != _MAGIC:
        raise invalid_file(file, "it does not begin as stored weights do")
    _, count = _HEADER.unpack_from(data)
    end = _HEADER.size + count * _CHUNK.size
    if end > len(data):
        raise invalid_file(file, f"{len(data)} bytes hold no table of {count} pieces")
    pieces = [_decode_chunk(each, file) for each in _CHUNK.iter_unpack(data[_HEADER.size : end])]
    for before, after in pairwise(pieces):
        if after.offset < before.end:
            raise invalid_file(file, f"the piece at {after.offset} begins before {before.end}, where another ends")
    if pieces and pieces[-1].end > size:
        raise invalid_file(file, f"its last piece ends at {pieces[-1].end}, after the {size} bytes that it stands for")
    wanted = end + sum(4 * piece.scale_count + piece.stored_bytes for piece in pieces)
    if wanted != len(data):
        raise invalid_file(file, f"its pieces take {wanted} bytes, not {len(data)}")
    return pieces, end


def _decode_chunk(fields: tuple[int, ...], file: str) -> Chunk:
    kind, offset, *shape = fields
    piece = Chunk(_CHUNK_KINDS[kind] if kind < len(_CHUNK_KINDS) else "bytes", offset, ScaleLayout(*shape))
    whole = kind == 0 and shape[:3] == [1, 1, 1]
    if not (whole or kind in (1, 2)) or not piece.layout.value_count or (offset % 4 and not whole):
        raise invalid_file(file, f"there is no piece of kind {kind} and shape {shape} at {offset}")
    return piece


def iter_chunk_offsets(pieces: Sequence[Chunk], start: int) -> Iterator[tuple[Chunk, int, int]]:
    """Yield each piece with the offsets of its scales and of its bytes; `start` is the offset of the first scale."""
    scales, numbers = start, start + 4 * sum(piece.scale_count for piece in pieces)
    for piece in pieces:
        yield piece, scales, numbers
        scales += 4 * piece.scale_count
        numbers += piece.stored_bytes


def invalid_file(file: str, what: str) -> WebbuildError:
    """Return the error of an invalid file."""
    return WebbuildError("invalid-weights", f"{file}: {what}", "pack the model again; never edit a bundle by hand")
