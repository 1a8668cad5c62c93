"""Dequantizes stored weights, bit-identical to `web/src/storage/dequantize.ts`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from webbuild.quantization.weight_format import Chunk, ScaleLayout, decode_header, invalid_file, iter_chunk_offsets


def dequantize_file(data: bytes, size: int, file: str) -> bytearray:
    """Return the weight file encoded by stored weights.

    Args:
        data: the stored weights.
        size: the size of the weight file in bytes.
        file: the name of the stored file, for errors.

    Raises:
        WebbuildError: `invalid-weights`.
    """
    pieces, start = decode_header(data, size, file)
    restored = bytearray(size)
    for piece, scales, at in iter_chunk_offsets(pieces, start):
        if piece.kind == "bytes":
            restored[piece.offset : piece.end] = data[at : at + piece.stored_bytes]
            continue
        factors = np.frombuffer(data, "<f4", piece.scale_count, scales)
        if not np.isfinite(factors).all():
            raise invalid_file(file, f"a scale of the piece at {piece.offset} is not finite")
        target = np.frombuffer(restored, "<f4", piece.layout.value_count, piece.offset)
        target[:] = dequantize_blocks(_read_integers(data, piece, at), factors, piece.layout).ravel()
    return restored


def _read_integers(data: bytes, piece: Chunk, at: int) -> NDArray[np.int16]:
    """Return the integers of a piece, which start at `at`."""
    count = piece.layout.value_count
    high = np.frombuffer(data, np.int8, count, at).astype(np.int16)
    if piece.kind == "int8":
        return high
    return high * np.int16(256) + np.frombuffer(data, np.uint8, count, at + count).astype(np.int16)


def dequantize_blocks(
    numbers: NDArray[np.int16], scales: NDArray[np.float32], grid: ScaleLayout
) -> NDArray[np.float32]:
    """Return float32 [groups, block, channels, inner]: numbers times scales, each product rounded once."""
    by_channel = scales.astype(np.float32).reshape(grid.groups, 1, grid.channels, 1)
    with np.errstate(over="ignore"):
        result: NDArray[np.float32] = numbers.astype(np.float32).reshape(grid.shape) * by_channel
    return result
