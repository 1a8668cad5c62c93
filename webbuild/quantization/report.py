"""The report of weight quantization."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence

from msgspec import Struct

from webbuild.manifest.manifest import File
from webbuild.quantization.quantize import BitWidth
from webbuild.quantization.weight_tensors import WeightTensor


class WideTensor(Struct, frozen=True, rename="camel"):
    """A tensor stored in more than 8 bits."""

    name: str
    shape: tuple[int, ...]
    bits: BitWidth
    reason: str


class WeightQuantizationReport(Struct, frozen=True, rename="camel"):
    """Sizes of a bundle's weight files in bytes: `floats` as float32, `gzipped` as gzipped float32, `stored` as stored.

    `numbers` is the number of floats, `eight` the number stored in 8 bits, and `wide` the tensors with more bits.
    `tried` is the number of trials of the search.
    """

    floats: int
    gzipped: int
    stored: int
    numbers: int
    eight: int
    tried: int
    wide: tuple[WideTensor, ...]


def quantization_report(
    originals: Sequence[bytes],
    files: Sequence[File],
    tensors: Sequence[WeightTensor],
    bits: Mapping[WeightTensor, BitWidth],
    tried: int,
) -> WeightQuantizationReport:
    """Return the report of quantized weight files, the largest tensors first."""
    wide = [
        WideTensor(tensor.name, tensor.shape, bits.get(tensor, 32), _wide_reason(bits.get(tensor)))
        for tensor in sorted(tensors, key=lambda tensor: -tensor.value_count)
        if bits.get(tensor) != 8
    ]
    return WeightQuantizationReport(
        floats=sum(map(len, originals)),
        gzipped=sum(len(gzip.compress(content, mtime=0)) for content in originals),
        stored=sum(file.size for file in files),
        numbers=sum(tensor.value_count for tensor in tensors),
        eight=sum(tensor.value_count for tensor in tensors if bits.get(tensor) == 8),
        tried=tried,
        wide=tuple(wide),
    )


def _wide_reason(bits: BitWidth | None) -> str:
    if bits is None:
        return "a number in it is not finite, or all are too small for a scale"
    return f"with fewer than {bits} bits, here or where it was tried together with others, the answers moved too far"
