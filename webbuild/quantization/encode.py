"""Encodes a weight file with quantized tensors, each in its bit width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from webbuild.quantization.quantize import BitWidth, quantize
from webbuild.quantization.weight_format import Chunk, ScaleLayout, encode_header
from webbuild.quantization.weight_tensors import WeightTensor


def encode_weight_file(
    weight_file: bytes,
    tensors: Sequence[WeightTensor],
    bits: Mapping[WeightTensor, BitWidth],
    grids: Mapping[WeightTensor, ScaleLayout],
) -> bytes:
    """Return the quantized form of a weight file: header, scales, integers.

    Args:
        weight_file: the contents of the file.
        tensors: its tensors that may be quantized, in file order.
        bits: the bit width of each tensor; 32 leaves it unchanged.
        grids: the scale layout of each tensor.
    """
    pieces, scales, numbers = [], [], []
    at = 0
    for tensor in tensors:
        if bits[tensor] == 32:
            continue
        for piece, content in _unquantized_chunks(weight_file, at, tensor.offset):
            pieces.append(piece)
            numbers.append(content)
        array = np.frombuffer(weight_file, "<f4", tensor.value_count, tensor.offset).reshape(tensor.shape)
        quantized = quantize(array, bits[tensor], grids[tensor])
        pieces.append(Chunk("int8" if bits[tensor] == 8 else "int16", tensor.offset, quantized.layout))
        scales.append(quantized.scales.astype("<f4").tobytes())
        numbers += _byte_planes(quantized.values, bits[tensor])
        at = tensor.end
    for piece, content in _unquantized_chunks(weight_file, at, len(weight_file)):
        pieces.append(piece)
        numbers.append(content)
    return encode_header(pieces) + b"".join(scales) + b"".join(numbers)


def _unquantized_chunks(weight_file: bytes, start: int, end: int) -> Iterator[tuple[Chunk, bytes]]:
    """Yield the bytes that are stored unchanged; nothing if all are zero, as gaps decode to zeros."""
    content = weight_file[start:end]
    if content.strip(b"\0"):
        yield Chunk("bytes", start, ScaleLayout(1, 1, 1, len(content))), content


def _byte_planes(numbers: np.typing.NDArray[np.int16], bits: BitWidth) -> list[bytes]:
    """Return all high bytes, then all low bytes: gzip compresses similar bytes better when they are adjacent."""
    if bits == 8:
        return [numbers.astype(np.int8).tobytes()]
    return [(numbers >> 8).astype(np.int8).tobytes(), (numbers & 255).astype(np.uint8).tobytes()]
