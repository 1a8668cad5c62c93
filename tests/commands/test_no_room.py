"""A full disk and a read-only folder: each has its own error, and no files are left."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.commands.program import hashes, pack, webbuild
from tests.commands.stopped import start
from tests.models import HEADER, convolution, parsed, save
from webbuild.commands import explain
from webbuild.ortweb import packaged_assets

resource = pytest.importorskip("resource", reason="Windows has no limits of a process")
pytestmark = [pytest.mark.usefixtures("stand_in"), pytest.mark.posix]


def large() -> onnx.ModelProto:
    model = parsed(f"{HEADER} g (float[1,64] x) => (float[1,512] y) {{ y = MatMul (x, w) }}")
    weight = np.random.default_rng(0).standard_normal((64, 512)).astype(np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    return model


def no_larger_than(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", [10, 500, 4000], ids=["no weight", "half a graph", "half a bundle"])
def test_where_the_disk_is_full_nothing_is_left(tmp_path: Path, size: int) -> None:
    path = save(large() if size < 4000 else convolution(), tmp_path / "m.onnx")
    pack(path)
    before = hashes(tmp_path / "out")
    arguments = ("pack", path, "-o", tmp_path / "out", "--force", "--no-verify")
    process = start(":", packaged_assets.WEB_ROOT, *arguments, prepare=no_larger_than(size))
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 2, said
    assert f"error[cannot-write] {tmp_path / 'out'}: {os.strerror(errno.EFBIG)}\n  fix: " in said
    assert "Traceback" not in said
    assert hashes(tmp_path / "out") == before
    assert {beside.name for beside in tmp_path.iterdir()} == {"m.onnx", "out"}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_disk_that_is_full_elsewhere_is_no_bug(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def fail(_: object) -> int:
        raise OSError(number, os.strerror(number), "/somewhere")

    monkeypatch.setattr(explain, "run", fail)
    done = webbuild("explain")
    assert (done.code, done.error) == (2, "cannot-write")
    assert "/somewhere" in done.stderr


def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("webbuild.bundle.staging.tempfile.mkdtemp", refuse)
    path = save(convolution(), tmp_path / "m.onnx")
    done = webbuild("pack", path, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "cannot-write")
    assert "Permission denied" in done.stderr
    assert [beside.name for beside in tmp_path.iterdir()] == ["m.onnx"]


def test_a_parent_that_is_a_file_is_told_before_the_model_is_read(tmp_path: Path) -> None:
    path = save(convolution(), tmp_path / "m.onnx")
    done = webbuild("pack", path, "-o", path / "a" / "out", "--no-verify")
    assert (done.code, done.error) == (2, "cannot-write")
    assert "patched" not in done.stderr


def test_a_model_that_may_not_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    path = save(convolution(), tmp_path / "m.onnx")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    done = webbuild("pack", path, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "model-not-found")
    assert "Permission denied" in done.stderr
