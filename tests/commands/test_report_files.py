"""Files that a command writes after a long run are checked before it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.commands.program import POSE, webbuild
from webbuild.errors import WebbuildError
from webbuild.reporting import write
from webbuild.reporting.write import check_report_files, write_report


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


def test_a_report_that_cannot_be_completed_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill_disk(path: Path, text: str) -> None:
        path.write_text(text[:4])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    report = tmp_path / "report.html"
    write_report(report, "the old report")
    monkeypatch.setattr(write, "write_text", fill_disk)
    with pytest.raises(WebbuildError) as caught:
        write_report(report, "the new report")
    assert caught.value.code == "unwritable-report"
    assert (report.read_text(), list(tmp_path.iterdir())) == ("the old report", [report])


def test_a_report_that_cannot_be_replaced_is_written_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in a folder that may not be written, or a mounted file."""

    def refuse(path: Path, target: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))

    report = tmp_path / "report.html"
    report.write_text("the old report")
    monkeypatch.setattr(Path, "replace", refuse)
    write_report(report, "the report")
    assert (report.read_text(), list(tmp_path.iterdir())) == ("the report", [report])


@pytest.mark.posix
def test_a_report_keeps_its_mode(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    report.touch(0o600)
    write_report(report, "the report")
    assert report.stat().st_mode & 0o777 == 0o600


@pytest.mark.posix
def test_a_report_keeps_a_link_and_writes_to_a_device(tmp_path: Path) -> None:
    (tmp_path / "link.html").symlink_to("report.html")
    check_report_files(tmp_path / "link.html")
    assert [path.name for path in tmp_path.iterdir()] == ["link.html"]
    write_report(tmp_path / "link.html", "the report")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "report.html").read_text() == "the report"
    write_report(Path("/dev/null"), "the report")
