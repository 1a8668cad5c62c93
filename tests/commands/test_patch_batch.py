"""`webbuild patch` on several models: one line for each, and a failure does not stop the others."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import onnx
import pytest

from tests.commands.program import webbuild
from tests.commands.stopped import start
from tests.models import convolution, detector, save
from webbuild.commands import patch
from webbuild.ortweb import packaged_assets

TARGET = ("--target", "1.30.0-webgpu")


def models(folder: Path, count: int) -> list[Path]:
    return [save(convolution(seed), folder / f"m{seed}.onnx") for seed in range(count)]


def test_each_has_its_line_and_the_worst_decides_the_exit_code(tmp_path: Path) -> None:
    good, other = models(tmp_path, 2)
    bad = tmp_path / "bad.onnx"
    bad.write_bytes(b"\x08\x08")
    done = webbuild("patch", good, bad, other, "-o", tmp_path / "out", *TARGET)
    assert done.code == 1
    lines = [line.split()[0] for line in done.stdout.splitlines()]
    assert [word for word in lines if word != "note[jsep-build]"] == ["patched", "failed", "patched"]
    assert "error[not-onnx]" in done.stdout
    missing = webbuild("patch", good, tmp_path / "none.onnx", "-o", tmp_path / "more", *TARGET)
    assert missing.code == 2
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "m0.1.30.0-webgpu.onnx",
        "m1.1.30.0-webgpu.onnx",
    ]


def test_all_outcomes_are_in_the_json(tmp_path: Path) -> None:
    done = webbuild("patch", *models(tmp_path, 2), tmp_path / "none.onnx", "-o", tmp_path / "out", *TARGET, "--json")
    first, second, third = json.loads(done.stdout)
    assert (first["exit_code"], second["exit_code"], third["exit_code"]) == (0, 0, 2)
    assert third["error"]["code"] == "model-not-found"
    assert (first["compared"] > 0, third["files"]) == (True, [])
    onnx.checker.check_model(first["files"][0]["file"])


def test_two_of_one_name_are_refused_before_anything_is_done(tmp_path: Path) -> None:
    twins = [save(convolution(), tmp_path / folder / "m.onnx") for folder in ("a", "b")]
    done = webbuild("patch", *twins, "-o", tmp_path / "out", *TARGET)
    assert (done.code, done.error) == (2, "name-collision")
    assert not (tmp_path / "out").exists()


@pytest.mark.posix
@pytest.mark.parametrize(("number", "code"), [(9, 2), (6, 3)], ids=["killed for memory", "a crash"])
def test_a_process_that_dies_is_a_failed_model_and_not_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: int
) -> None:
    monkeypatch.setattr(patch, "_CHILD_PROGRAM", f"import os; os.kill(os.getpid(), {number})")
    done = webbuild("patch", *models(tmp_path, 2), "-o", tmp_path / "out", *TARGET)
    assert done.code == code
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["failed", "failed"]
    assert f"signal {number}" in done.stdout


def test_as_many_at_a_time_as_memory_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = models(tmp_path, 8)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(64))
    counts = []
    for gigabytes in (0, 2, 1000):
        monkeypatch.setattr(patch, "_free_memory", lambda size=gigabytes: size << 30)
        counts.append(patch._worker_count(given))
    assert counts == [1, 2, 8]


@pytest.mark.posix
def test_an_interrupt_leaves_whole_files_or_none(tmp_path: Path) -> None:
    given = [save(detector(classes=n), tmp_path / "in" / f"d{n}.onnx") for n in range(2, 8)]
    process = start(":", packaged_assets.WEB_ROOT, "patch", *given, "-o", tmp_path / "out", *TARGET)
    until = time.monotonic() + 120
    while not list((tmp_path / "out").glob(".*")) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130, said
    assert said.splitlines()[-1] == "interrupted"
    assert "Traceback" not in said
    assert len(list((tmp_path / "out").iterdir())) < len(given)
    assert not list((tmp_path / "out").glob(".*"))
    for file in (tmp_path / "out").glob("*.onnx"):
        onnx.checker.check_model(file)
