"""The files of an onnxruntime-web build: from the installed version, or another one through npm."""

from __future__ import annotations

import io
import sys
import tarfile
from pathlib import Path

import pytest

from webbuild.errors import WebbuildError
from webbuild.ortweb import packaged_assets
from webbuild.ortweb.build import get_build
from webbuild.targets.target import Build, Target

FILES = ("ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm")
OTHER = Target("0.1.0", "wasm")


@pytest.mark.parametrize("build", ["webgpu", "wasm"])
def test_the_installed_version_needs_no_npm(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = get_build(Target(packaged_assets.engine_version(), build), tmp_path)
    served = found.virtual_files("/probe/")
    assert served["/probe/engine.wasm"][1].startswith(b"\0asm")
    told = found.worker_options("/probe/")
    assert {told["entry"], told["glue"], told["wasm"]} == set(served)
    assert told["provider"] == build
    assert list(tmp_path.iterdir()) == []


def test_another_version_without_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WebbuildError, match="no-npm"):
        get_build(OTHER, tmp_path / "cache")


def npm(folder: Path, body: str) -> None:
    """Put a stand-in for npm on the PATH: tests may not use the network."""
    file = folder / "npm"
    file.write_text(f"#!{sys.executable}\n{body}\n")
    file.chmod(0o755)


@pytest.mark.posix
def test_another_version_is_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    archive = tmp_path / "made.tgz"
    with tarfile.open(archive, "w:gz") as made:
        for name in (
            *(f"package/dist/{file}" for file in FILES),
            "package/package.json",
            "package/dist/../../outside",
            "../outside",
        ):
            entry = tarfile.TarInfo(name)
            entry.size = 4
            made.addfile(entry, io.BytesIO(b"\0asm"))
    npm(tmp_path, f"import shutil, sys; shutil.copy({str(archive)!r}, sys.argv[-1] + '/onnxruntime-web-0.1.0.tgz')")
    found = get_build(OTHER, tmp_path / "cache")
    assert sorted(file.name for file in found.wasm.parent.iterdir()) == sorted(FILES)
    assert not (tmp_path / "outside").exists()
    (tmp_path / "npm").unlink()
    assert get_build(OTHER, tmp_path / "cache") == found
    with pytest.raises(WebbuildError, match="unknown-build"):
        get_build(Target("0.1.0", "webgpu"), tmp_path / "cache")


@pytest.mark.posix
def test_npm_that_knows_no_such_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    npm(tmp_path, "import sys; sys.exit('E404 no such version')")
    with pytest.raises(WebbuildError, match="E404 no such version"):
        get_build(OTHER, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []
