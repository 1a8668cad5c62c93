"""Files stored in parts: large weights split into shards, and gzipped quantized weights and graphs."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from webbuild.bundle import weight_shards
from webbuild.manifest.file_entry import file_hash
from webbuild.manifest.manifest import File

_COPY_BYTES = 8 * 1024 * 1024


def split_large_files(folder: Path) -> list[File]:
    """Split every weight file under `folder` that is larger than a shard. The graphs still name the whole file.

    Returns:
        The manifest's entry of each split file, with its parts.
    """
    large_files = sorted(
        file for file in folder.rglob("weights-*.bin") if file.stat().st_size > weight_shards.SHARD_BYTES
    )
    return [_split_file(file, folder, weight_shards.SHARD_BYTES) for file in large_files]


def write_quantized_weights(content: bytes, file: Path, folder: Path, size: int) -> File:
    """Write the quantized form of a weight file, in parts no larger than a shard.

    Args:
        content: the quantized content.
        file: the weight file, named as in the graphs.
        folder: the bundle's folder.
        size: size of the weight file.

    Returns:
        The manifest's entry of the weight file, which must not be in the bundle.
    """
    starts = range(0, len(content), weight_shards.SHARD_BYTES)
    pieces = [_gzip(content[start : start + weight_shards.SHARD_BYTES]) for start in starts]
    parts = [file.with_name(f"weights-{hashlib.sha256(piece).hexdigest()[:12]}.int8.gz") for piece in pieces]
    for piece, part in zip(pieces, parts, strict=True):
        part.write_bytes(piece)
    stored = b"".join(pieces)
    return _entry(file, folder, len(stored), hashlib.sha256(stored).hexdigest(), size, parts, "int8")


def write_gzipped_graph(file: Path, folder: Path) -> File:
    """Write a graph gzipped, since most of it is names, and return the manifest's entry of its file."""
    content, part = file.read_bytes(), file.with_name(f"{file.name}.gz")
    part.write_bytes(_gzip(content))
    return _entry(file, folder, part.stat().st_size, file_hash(part), len(content), [part])


def _split_file(file: Path, folder: Path, limit: int) -> File:
    """Split a file into parts, from the end, so that no more than one part is on disk twice."""
    size, digest = file.stat().st_size, file_hash(file)
    count = -(-size // limit)
    parts = [file.with_name(f"{file.stem}-{index:04}.bin") for index in range(count)]
    for index in range(count - 1, 0, -1):
        _move_tail(file, index * limit, parts[index])
    file.replace(parts[0])
    return _entry(file, folder, size, digest, size, parts)


def _move_tail(file: Path, offset: int, part: Path) -> None:
    with file.open("r+b") as source, part.open("xb") as target:
        source.seek(offset)
        while piece := source.read(_COPY_BYTES):
            target.write(piece)
        source.truncate(offset)


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def _entry(
    file: Path,
    folder: Path,
    stored: int,
    digest: str,
    size: int,
    parts: Sequence[Path],
    quantization: Literal["none", "int8"] = "none",
) -> File:
    return File(
        path=file.relative_to(folder).as_posix(),
        size=stored,
        sha256=digest,
        uncompressed_size=size,
        parts=[part.relative_to(folder).as_posix() for part in parts],
        quantization=quantization,
    )
