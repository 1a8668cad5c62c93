"""Focal stacks in folders and as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from webbuild.errors import WebbuildError
from webbuild.samples.focal_stack import find_stacks, read_stack, stacks_from_paths


def folder(path: Path, *names: str, focus: str = "", file: str = "focus.json") -> Path:
    path.mkdir(parents=True)
    for name in names:
        (path / name).write_bytes(b"")
    if focus:
        (path / file).write_text(focus)
    return path


def test_pictures_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    stack = read_stack(folder(tmp_path / "desk", "f10.png", "f9.PNG", "f1.jpg", "notes.txt", "depth.npy"))
    assert stack.name == "desk"
    assert [file.name for file in stack.files] == ["f1.jpg", "f9.PNG", "f10.png"]
    assert stack.focus == ()


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("[0.5, 1, 3]", "focus.json"),
        ('{"focus_distances": [0.5, 1, 3]}', "focus.json"),
        ("0.5 1\n3\n", "focus_distances.txt"),
        ("0.5, 1; 3", "focus_distances"),
        ("\ufeff[0.5, 1, 3]", "focus_distances.json"),
    ],
)
def test_focal_distances_are_read_in_several_forms(tmp_path: Path, text: str, file: str) -> None:
    assert read_stack(folder(tmp_path / "desk", "0.png", focus=text, file=file)).focus == (0.5, 1, 3)


@pytest.mark.parametrize("text", ["[0.5, null]", "near far", "{}", "[NaN]", "[1, ", "[[1, 2]]", "1e999"])
def test_focal_distances_that_are_none_are_refused_by_the_files_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(WebbuildError, match=r"focus\.json") as caught:
        read_stack(folder(tmp_path / "desk", "0.png", focus=text))
    assert (caught.value.code, caught.value.exit_code) == ("unreadable-focal-distances", 2)


def test_each_folder_is_a_stack_and_all_files_together_are_one(tmp_path: Path) -> None:
    one = folder(tmp_path / "one", "0.png", "1.png", focus="[1, 2]")
    two = folder(tmp_path / "two", "a.png", "b.png", "c.png", focus="[1, 2, 3]")
    stacks = stacks_from_paths([one, two / "b.png", two / "a.png"])
    assert [(stack.name, [file.name for file in stack.files]) for stack in stacks] == [
        ("one", ["0.png", "1.png"]),
        ("two", ["b.png", "a.png"]),
    ]
    assert [stack.focus for stack in stacks] == [(1, 2), ()]
    assert stacks_from_paths([two / "a.png", two / "b.png", two / "c.png"])[0].focus == (1, 2, 3)


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WebbuildError, match="no such file") as caught:
        stacks_from_paths([tmp_path / "gone"])
    assert caught.value.code == "sample-not-found"


def test_beside_a_model_only_stacks_of_its_number_of_pictures_are_its_own(tmp_path: Path) -> None:
    folder(tmp_path / "samples" / "b10", "0.png", "1.png")
    folder(tmp_path / "samples" / "b9", "0.png", "1.png")
    folder(tmp_path / "samples" / "other", "0.png", "1.png", "2.png")
    (tmp_path / "samples" / "photo.jpg").write_bytes(b"")
    assert [stack.name for stack in find_stacks(tmp_path / "samples", 2)] == ["b9", "b10"]
    assert find_stacks(tmp_path / "none", 2) == []
