"""Files that a command writes after a long run are checked before it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commands.program import POSE, webbuild
from webbuild.errors import WebbuildError
from webbuild.reporting.write import check_report_files


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "no-bundle", "--html"),
        ("verify", "no-bundle", "--markdown"),
        ("bench", "no-bundle", "--html"),
        ("inspect", "no-model.onnx", "--html"),
        ("probe", "--version", "0.0.0", "--out"),
        ("probe", "--version", "0.0.0", "--browser", "firefox", "--out"),
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
def test_a_file_in_a_missing_folder_is_refused_before_the_run(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = webbuild(*words, tmp_path / "nowhere" / "report")
    assert (done.code, done.error) == (2, "unwritable-report")


@pytest.mark.posix
def test_a_patched_model_is_refused_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = webbuild("patch", POSE, "-o", tmp_path / "file" / "out", "--target", "1.27.0-webgpu", "--set", "broken")
    assert (done.code, done.error) == (2, "cannot-write")


def test_the_check_changes_no_file(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    check_report_files(None, tmp_path / "new", tmp_path / "old")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_text() == "old"
    with pytest.raises(WebbuildError):
        check_report_files(tmp_path)


@pytest.mark.posix
def test_a_pipe_is_left_to_the_report(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would wait for a reader
    check_report_files(tmp_path / "pipe")
