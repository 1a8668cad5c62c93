"""What is stored of graphs and weights: gzipped files that every host takes, beside those that they stand for."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import Literal

from webbuild.bundle import weight_shards
from webbuild.manifest.manifest import File


def write_quantized_weights(content: bytes, file: Path, folder: Path, size: int) -> File:
    """Write what stands for a weight file, no piece of it larger than a shard.

    Args:
        content: what stands for it.
        file: the weight file, named as the graphs name it.
        folder: the bundle's.
        size: of the weight file.

    Returns:
        What the manifest says of the weight file, which is not to be in the bundle.
    """
    starts = range(0, len(content), weight_shards.SHARD_BYTES)
    pieces = [_gzip(content[start : start + weight_shards.SHARD_BYTES]) for start in starts]
    parts = [file.with_name(f"weights-{hashlib.sha256(piece).hexdigest()[:12]}.int8.gz") for piece in pieces]
    return _write_parts(pieces, parts, file, folder, size, "int8")


def write_gzipped_graph(file: Path, folder: Path) -> File:
    """Write a graph gzipped, since most of it is names, and return what the manifest says of its file."""
    content = file.read_bytes()
    return _write_parts([_gzip(content)], [file.with_name(f"{file.name}.gz")], file, folder, len(content), "none")


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def _write_parts(
    pieces: list[bytes], parts: list[Path], file: Path, folder: Path, size: int, quantization: Literal["none", "int8"]
) -> File:
    for piece, part in zip(pieces, parts, strict=True):
        part.write_bytes(piece)
    return File(
        path=file.relative_to(folder).as_posix(),
        size=sum(map(len, pieces)),
        sha256=hashlib.sha256(b"".join(pieces)).hexdigest(),
        uncompressed_size=size,
        parts=[part.relative_to(folder).as_posix() for part in parts],
        quantization=quantization,
    )
