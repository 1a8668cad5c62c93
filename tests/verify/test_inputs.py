"""The inputs for verifying a bundle without sample images."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.manifests import image_input
from tests.verify.bundle_made import FEEDS, rewrite, write_bundle
from webbuild.errors import WebbuildError
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import collect_inputs, inputs_from_files


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return write_bundle(tmp_path / "double")


def test_recorded_tensors_come_first_and_files_behind_them(bundle: Bundle, tmp_path: Path) -> None:
    np.savez(tmp_path / "more.npz", allow_pickle=False, **FEEDS)
    given = collect_inputs(bundle, [tmp_path / "more.npz"])
    assert [each.title for each in given] == ["golden", "more.npz"]
    assert given[1].feeds["x"].tolist() == FEEDS["x"].tolist()


def test_made_up_numbers_are_always_the_same_and_never_zero(bundle: Bundle) -> None:
    bare = rewrite(bundle.directory, bundle.manifest, golden=None)
    first, second = collect_inputs(bare, [])
    again = collect_inputs(bare, [])[0]
    assert first.feeds["x"].tolist() == again.feeds["x"].tolist() != second.feeds["x"].tolist()
    assert [str(first.feeds[name].dtype) for name in ("x", "ids")] == ["float32", "int64"]
    assert first.feeds["ids"].min() >= 1


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"x": FEEDS["x"]}, "input 'ids' is nothing"),
        ({"x": FEEDS["x"].astype(np.float64), "ids": FEEDS["ids"]}, "input 'x' is float64"),
        ({"x": FEEDS["x"].T, "ids": FEEDS["ids"]}, r"float32 \[3, 2\], wanted float32 \[2, 3\]"),
        ({"x": FEEDS["x"], "ids": FEEDS["ids"].astype(np.int32)}, "wanted int64"),
    ],
)
def test_an_archive_that_does_not_fit(
    bundle: Bundle, tmp_path: Path, arrays: dict[str, NDArray[Any]], said: str
) -> None:
    np.savez(tmp_path / "wrong.npz", allow_pickle=False, **arrays)
    with pytest.raises(WebbuildError, match=said) as caught:
        collect_inputs(bundle, [tmp_path / "wrong.npz"])
    assert (caught.value.code, caught.value.exit_code) == ("invalid-input", 2)


def archived(**arrays: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def single(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [b"", b"no archive", b"\x80\x04K*.", archived(**FEEDS)[:100], archived(**FEEDS)[:-30], single(FEEDS["x"])],
    ids=["empty", "text", "pickle", "cut short", "without its end", "one array"],
)
def test_a_file_that_is_no_archive(bundle: Bundle, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "wrong.npz").write_bytes(data)
    with pytest.raises(WebbuildError) as caught:
        collect_inputs(bundle, [tmp_path / "wrong.npz"])
    assert (caught.value.code, caught.value.exit_code) == ("unreadable-tensors", 2)


def test_a_folder_stands_for_its_pictures(bundle: Bundle, tmp_path: Path) -> None:
    pictured = rewrite(bundle.directory, bundle.manifest, inputs=[image_input()])
    (tmp_path / "photos").mkdir()
    for name in ("b.png", "a.png"):
        Image.new("RGB", (8, 8)).save(tmp_path / "photos" / name)
    (tmp_path / "photos" / "notes.txt").touch()
    assert [each.title for each in inputs_from_files(pictured, [tmp_path / "photos"])] == ["a.png", "b.png"]
