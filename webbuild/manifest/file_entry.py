"""Stored files: their entries in the manifest, and the content of compressed ones."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Literal, cast

from msgspec import UNSET

from webbuild.manifest.manifest import File

_Encoding = Literal["identity", "gzip", "zstd"]
_Open = Callable[[Path], AbstractContextManager[BinaryIO]]
_CHUNK_BYTES = 1 << 20


def file_entry(path: Path, folder: Path) -> File:
    """Return the manifest's entry for a file in `folder`."""
    size, stored_hash = path.stat().st_size, file_hash(path)
    encoding, open_content = _ENCODINGS.get(path.suffix, ("identity", None))
    uncompressed_size, digest = (
        (size, None) if open_content is None else _size_and_hash(_CompressedFile(stored_hash, path, open_content))
    )
    return File(
        path=path.relative_to(folder).as_posix(),
        size=size,
        sha256=stored_hash,
        encoding=encoding,
        uncompressed_size=uncompressed_size,
        uncompressed_sha256=digest or UNSET,
    )


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_engine_wasm(path: Path) -> bytes:
    """Return the engine's WebAssembly, decompressed: npm packages have it uncompressed, bundles compressed."""
    import zstandard

    content = path.read_bytes()
    return zstandard.decompress(content) if path.suffix == ".zst" else content


def _open_zstd(path: Path) -> AbstractContextManager[BinaryIO]:
    import zstandard

    return cast("AbstractContextManager[BinaryIO]", zstandard.open(path, "rb"))


def _open_gzip(path: Path) -> AbstractContextManager[BinaryIO]:
    return cast("AbstractContextManager[BinaryIO]", gzip.open(path, "rb"))


_ENCODINGS: dict[str, tuple[_Encoding, _Open | None]] = {".gz": ("gzip", _open_gzip), ".zst": ("zstd", _open_zstd)}
"""Suffix -> the compression of a file, and the function that opens it decompressed."""


@dataclass(frozen=True)
class _CompressedFile:
    """A compressed file. Files with the same content are equal, so that the engine in each bundle is hashed once."""

    sha256: str
    path: Path = field(compare=False)
    open_content: _Open = field(compare=False)


@lru_cache(maxsize=64)
def _size_and_hash(file: _CompressedFile) -> tuple[int, str]:
    """Return the decompressed size and SHA-256 of a compressed file."""
    size, digest = 0, hashlib.sha256()
    with file.open_content(file.path) as content:
        while chunk := content.read(_CHUNK_BYTES):
            size += len(chunk)
            digest.update(chunk)
    return size, digest.hexdigest()
