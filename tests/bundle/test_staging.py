"""A folder appears complete or not at all, and nothing else is ever deleted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from webbuild.bundle import staging
from webbuild.bundle.staging import check_output_folder, staged_folder
from webbuild.errors import USAGE, WebbuildError


def code(out: Path, *, force: bool) -> str:
    with pytest.raises(WebbuildError) as caught:
        check_output_folder(out, force=force)
    assert caught.value.exit_code == USAGE
    assert "another folder" in caught.value.fix
    return caught.value.code


def bundle(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    (folder / "old.txt").write_text("old")
    return folder


def test_a_place_where_nothing_is_may_be_written(tmp_path: Path) -> None:
    check_output_folder(tmp_path / "a" / "b", force=False)


def test_an_existing_folder_is_refused_without_force(tmp_path: Path) -> None:
    assert code(bundle(tmp_path / "out"), force=False) == "output-exists"
    assert code(tmp_path, force=False) == "output-exists"


def test_the_fix_names_the_option_of_the_command(tmp_path: Path) -> None:
    for option in ("-o", "--hf"):
        for force in (False, True):
            with pytest.raises(WebbuildError) as caught:
                check_output_folder(bundle(tmp_path / option / str(force)), force=force, marks=(), option=option)
            assert f"give another folder with {option}, or " in caught.value.fix


def test_force_replaces_a_bundle_or_an_empty_folder(tmp_path: Path) -> None:
    check_output_folder(bundle(tmp_path / "out"), force=True)
    (tmp_path / "empty").mkdir()
    check_output_folder(tmp_path / "empty", force=True)


def test_force_replaces_no_other_folder_file_or_link(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_text("")
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(bundle(tmp_path / "out"))
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    for name in ("photos", "file", "link", "broken"):
        assert code(tmp_path / name, force=True) == "not-a-bundle"


@pytest.mark.parametrize("place", ["file", pytest.param("proc", marks=pytest.mark.posix)])
def test_a_place_where_no_folder_can_be_made_is_told_before_the_work(tmp_path: Path, place: str) -> None:
    """Missing parent folders are no error, and they are not created yet."""
    (tmp_path / "file").write_text("")
    out = {"file": tmp_path / "file" / "a" / "out", "proc": Path("/proc/a/out")}[place]
    assert code(out, force=False) == "cannot-write"
    check_output_folder(tmp_path / "a" / "b", force=False)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("place", [".", "..", "../out"])
def test_the_current_folder_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.chdir(bundle(tmp_path / "out"))
    assert code(Path(place), force=True) == "cannot-write"


def test_the_folder_takes_its_place_when_all_is_written(tmp_path: Path) -> None:
    out = tmp_path / "a" / "b" / "out"
    with staged_folder(out) as folder:
        (folder / "x.txt").write_text("x")
        assert folder.parent == out.parent
        assert not out.exists()
    assert [path.name for path in out.iterdir()] == ["x.txt"]
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    assert os.name == "nt" or out.stat().st_mode & 0o777 == 0o755


def test_the_old_bundle_is_gone_when_the_new_one_stands(tmp_path: Path) -> None:
    out = bundle(tmp_path / "out")
    with staged_folder(out) as folder:
        (folder / "new.txt").write_text("new")
        assert (out / "old.txt").exists()
    assert [path.name for path in out.iterdir()] == ["new.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), WebbuildError("x", "y", "z"), SystemExit(1)])
def test_whatever_goes_wrong_leaves_nothing_behind(tmp_path: Path, error: BaseException) -> None:
    out = bundle(tmp_path / "out")
    with pytest.raises(type(error)), staged_folder(out):
        raise error
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (out / "old.txt").read_text() == "old"


def test_a_full_disk_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(WebbuildError, match="No space left") as caught, staged_folder(tmp_path / "out"):
        raise OSError(28, "No space left on device")
    assert caught.value.code == "cannot-write"
    assert list(tmp_path.iterdir()) == []


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(WebbuildError) as caught, staged_folder(tmp_path / "out") as folder:
        (folder / "a" / "b.bin").write_bytes(b"")
    assert caught.value.message.endswith(".partial/a/b.bin")


def test_a_file_in_the_place_of_the_parent_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WebbuildError) as caught, staged_folder(tmp_path / "file" / "out"):
        pytest.fail("the block must not run")
    assert caught.value.code == "cannot-write"


@pytest.mark.posix
def test_a_folder_without_permission_is_told() -> None:
    with pytest.raises(WebbuildError) as caught, staged_folder(Path("/proc/out")):  # not even root may write there
        pytest.fail("the block must not run")
    assert caught.value.code == "cannot-write"


def test_the_old_bundle_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = bundle(tmp_path / "out")
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.suffix == ".partial":
            raise OSError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(WebbuildError), staging.staged_folder(out) as folder:
        (folder / "new.txt").write_text("new")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (out / "old.txt").exists()
