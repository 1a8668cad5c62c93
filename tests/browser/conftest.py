"""A folder to serve, with secrets around it, and a server for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from webbuild.browser.server import Server

BODY = bytes(range(256)) * 5000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    (folder / "runtime").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "bundle-secret").mkdir()
    (tmp_path / "bundle-secret" / "file.txt").write_text("secret")
    (folder / "index.html").write_text("<title>page</title>")
    (folder / "weights.bin").write_bytes(BODY)
    (folder / "empty.bin").write_bytes(b"")
    (folder / ".hidden").write_text("secret")
    (folder / "a b+c%.js").write_text("1")
    for name in ("worker.js", "ort.mjs", "ort.wasm", "ort.wasm.zst", "manifest.json", "model.onnx", "x.jpg", "x.css"):
        (folder / "runtime" / name).write_bytes(b"content")
    (folder / "outside.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "out").symlink_to(tmp_path)
    (folder / "inside.bin").symlink_to(folder / "weights.bin")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "linked").mkdir()
    (folder / "linked" / "index.html").symlink_to(tmp_path / "secret.txt")
    return folder


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    with Server(folder) as server:
        yield server
