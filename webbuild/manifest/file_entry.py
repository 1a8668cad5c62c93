"""Stored files: what a manifest says of them, and what is in one that is compressed."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import BinaryIO, Literal

from webbuild.manifest.manifest import File


def file_entry(path: Path, folder: Path) -> File:
    """Return what the manifest says of a file in `folder`."""
    size = path.stat().st_size
    with path.open("rb") as file:
        encoding, uncompressed_size = _compression(file, path.suffix, size)
    return File(
        path=path.relative_to(folder).as_posix(),
        size=size,
        sha256=file_hash(path),
        encoding=encoding,
        uncompressed_size=uncompressed_size,
    )


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_engine_wasm(path: Path) -> bytes:
    """Return WebAssembly of the engine as it runs: npm has it so, bundles have it compressed."""
    import zstandard

    content = path.read_bytes()
    return zstandard.decompress(content) if path.suffix == ".zst" else content


def _compression(file: BinaryIO, suffix: str, size: int) -> tuple[Literal["identity", "gzip", "zstd"], int]:
    """Return how a file is compressed, and its size before that: gzip ends in it, a zstd frame begins with it."""
    if suffix == ".gz":
        file.seek(-4, 2)
        return "gzip", int.from_bytes(file.read(4), "little")
    if suffix == ".zst":
        import zstandard

        file.seek(0)
        return "zstd", zstandard.frame_content_size(file.read(18))
    return "identity", size
