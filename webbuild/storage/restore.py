"""Stored weights turned back to the file that they stand for; `web/src/restore.ts` does the same, to the bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from webbuild.storage.form import Grid, Piece, bad, read_head, spans


def restore(data: bytes, size: int, file: str) -> bytearray:
    """Return the file that stored weights stand for.

    Args:
        data: the stored weights.
        size: how many bytes the file has.
        file: the name of what is stored, for errors.

    Raises:
        WebbuildError: `bad-weights`.
    """
    pieces, start = read_head(data, size, file)
    restored = bytearray(size)
    for piece, scales, at in spans(pieces, start):
        if piece.kind == "bytes":
            restored[piece.offset : piece.end] = data[at : at + piece.stored]
            continue
        factors = np.frombuffer(data, "<f4", piece.scales, scales)
        if not np.isfinite(factors).all():
            raise bad(file, f"a scale of the piece at {piece.offset} is not finite")
        target = np.frombuffer(restored, "<f4", piece.grid.numbers, piece.offset)
        target[:] = products(whole_numbers(data, piece, at), factors, piece.grid).ravel()
    return restored


def whole_numbers(data: bytes, piece: Piece, at: int) -> NDArray[np.int16]:
    """Return a piece's numbers, which begin at `at`."""
    count = piece.grid.numbers
    high = np.frombuffer(data, np.int8, count, at).astype(np.int16)
    if piece.kind == "int8":
        return high
    return high * np.int16(256) + np.frombuffer(data, np.uint8, count, at + count).astype(np.int16)


def products(numbers: NDArray[np.int16], scales: NDArray[np.float32], grid: Grid) -> NDArray[np.float32]:
    """Return float32 [groups, block, channels, inner]: numbers times scales, each product rounded once."""
    by_channel = scales.astype(np.float32).reshape(grid.groups, 1, grid.channels, 1)
    with np.errstate(over="ignore"):
        result: NDArray[np.float32] = numbers.astype(np.float32).reshape(grid.shape) * by_channel
    return result
