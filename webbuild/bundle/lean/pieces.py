"""A weight file in the form that is stored: its tensors as whole numbers, each in as many bits as it was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from webbuild.bundle.lean.tensors import Held
from webbuild.storage.form import Grid, Piece, head
from webbuild.storage.quantise import Bits, quantise


def stored(whole: bytes, tensors: Sequence[Held], bits: Mapping[Held, Bits], grids: Mapping[Held, Grid]) -> bytes:
    """Return what stands for a weight file.

    Args:
        whole: the file.
        tensors: those of it that may be whole numbers, in their order.
        bits: of each of them. What has 32 stays as it is.
        grids: how each shares scales.
    """
    pieces, scales, numbers = [], [], []
    at = 0
    for tensor in tensors:
        if bits[tensor] == 32:
            continue
        for piece, content in _between(whole, at, tensor.offset):
            pieces.append(piece)
            numbers.append(content)
        array = np.frombuffer(whole, "<f4", tensor.numbers, tensor.offset).reshape(tensor.shape)
        made = quantise(array, bits[tensor], grids[tensor])
        pieces.append(Piece("int8" if bits[tensor] == 8 else "int16", tensor.offset, made.grid))
        scales.append(made.scales.astype("<f4").tobytes())
        numbers += _planes(made.numbers, bits[tensor])
        at = tensor.end
    for piece, content in _between(whole, at, len(whole)):
        pieces.append(piece)
        numbers.append(content)
    return head(pieces) + b"".join(scales) + b"".join(numbers)


def _between(whole: bytes, start: int, end: int) -> Iterator[tuple[Piece, bytes]]:
    """Give the bytes that stay as they are; none where they are the zeros that are there anyway."""
    content = whole[start:end]
    if content.strip(b"\0"):
        yield Piece("bytes", start, Grid(1, 1, 1, len(content))), content


def _planes(numbers: np.typing.NDArray[np.int16], bits: Bits) -> list[bytes]:
    """Return all high bytes, then all low ones: alike beside alike is what gzip makes smaller."""
    if bits == 8:
        return [numbers.astype(np.int8).tobytes()]
    return [(numbers >> 8).astype(np.int8).tobytes(), (numbers & 255).astype(np.uint8).tobytes()]
