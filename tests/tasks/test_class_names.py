"""Class name files, in the formats that people use."""

from __future__ import annotations

from pathlib import Path

import pytest

from webbuild.errors import USAGE, WebbuildError
from webbuild.tasks.options.labels import read_labels
from webbuild.tasks.recognition.class_names import read_class_names


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "labels.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "cup\nplaté\nbig spoon\n",
        "cup\r\nplaté\r\nbig spoon",
        "\ufeffcup\n  platé \nbig spoon\n\n",
        '["cup", "platé", "big spoon"]',
        '{"2": "big spoon", "0": "cup", "1": "platé"}',
    ],
    ids=["lines", "windows", "byte order mark", "list", "object"],
)
def test_names_come_in_the_order_of_their_indices(tmp_path: Path, text: str) -> None:
    assert read_class_names(read_labels(written(tmp_path, text))) == ["cup", "platé", "big spoon"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("cup\n\nplate", "line 2 is empty"),
        (b"cup\n\xff\xfe", "not UTF-8 text, at byte 4"),
        ('["cup", 7]', "index 1"),
        ('["cup", " "]', "index 1"),
        ('{"0": "cup", "2": "plate"}', "0, 1, 2 and so on"),
        ('{"0": ["n01", "tench"]}', "index 0"),
        ('["cup"', "begins like JSON"),
        ("[" * 100_000, "begins like JSON"),
    ],
)
def test_what_is_no_list_of_names_is_refused_with_the_place(tmp_path: Path, text: str | bytes, reason: str) -> None:
    with pytest.raises(WebbuildError, match=reason) as caught:
        read_class_names(read_labels(written(tmp_path, text)))
    assert (caught.value.code, caught.value.exit_code) == ("unreadable-labels", USAGE)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WebbuildError, match="No such file"):
        read_labels(tmp_path / "none.txt")
