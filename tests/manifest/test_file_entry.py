"""The manifest entry of a file, compressed or not."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest
import zstandard
from msgspec import UNSET

from webbuild.manifest.file_entry import file_entry

CONTENT = bytes(range(256)) * 10_000


@pytest.mark.parametrize(
    ("name", "stored", "encoding"),
    [
        ("weights.gz", gzip.compress(CONTENT), "gzip"),
        ("engine.wasm.zst", zstandard.compress(CONTENT), "zstd"),
        ("sized-by-nobody.zst", zstandard.ZstdCompressor(write_content_size=False).compress(CONTENT), "zstd"),
    ],
)
def test_a_compressed_file_has_size_and_hash_of_both_forms(
    tmp_path: Path, name: str, stored: bytes, encoding: str
) -> None:
    (tmp_path / name).write_bytes(stored)
    entry = file_entry(tmp_path / name, tmp_path)
    assert (entry.encoding, entry.size, entry.sha256) == (encoding, len(stored), hashlib.sha256(stored).hexdigest())
    assert (entry.uncompressed_size, entry.uncompressed_sha256) == (len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


def test_a_file_that_is_not_compressed_has_one_form(tmp_path: Path) -> None:
    (tmp_path / "graph.onnx").write_bytes(CONTENT)
    entry = file_entry(tmp_path / "graph.onnx", tmp_path)
    assert (entry.uncompressed_size, entry.uncompressed_sha256) == (entry.size, UNSET)


def test_what_is_in_a_copy_is_not_unpacked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "engine.wasm.zst").write_bytes(zstandard.compress(CONTENT + b"engine"))
    first = file_entry(tmp_path / "first" / "engine.wasm.zst", tmp_path / "first")
    monkeypatch.setattr(zstandard, "open", None)
    assert file_entry(tmp_path / "second" / "engine.wasm.zst", tmp_path / "second") == first
