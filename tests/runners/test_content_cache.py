"""The disk cache: hits, misses, its size limit, two programs at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from webbuild.runners.content_cache import ContentCache


def test_what_was_written_is_read_by_another_program(tmp_path: Path) -> None:
    assert ContentCache(tmp_path / "cache").write("key", b"content")
    program = "import sys, pathlib; from webbuild.runners.content_cache import ContentCache as C; "
    program += "print(C(pathlib.Path(sys.argv[1])).read('key'))"
    read = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "cache"], capture_output=True, text=True, check=True
    )
    assert read.stdout.strip() == "b'content'"


def test_nothing_is_there_before_it_is_written(tmp_path: Path) -> None:
    assert ContentCache(tmp_path / "none").read("key") is None


@pytest.mark.parametrize("end", [0, 10, 32, 38])
def test_a_torn_entry_is_not_there(tmp_path: Path, end: int) -> None:
    cache = ContentCache(tmp_path)
    cache.write("key", b"content")
    (tmp_path / "key").write_bytes((tmp_path / "key").read_bytes()[:end])
    assert cache.read("key") is None
    assert cache.write("key", b"content"), "it can be written again"
    assert cache.read("key") == b"content"


def test_a_changed_entry_is_not_there(tmp_path: Path) -> None:
    cache = ContentCache(tmp_path)
    cache.write("key", b"content")
    entry = bytearray((tmp_path / "key").read_bytes())
    entry[-1] ^= 1
    (tmp_path / "key").write_bytes(entry)
    assert cache.read("key") is None


def test_what_was_read_longest_ago_goes_first(tmp_path: Path) -> None:
    cache = ContentCache(tmp_path, max_bytes=2000)
    for age, key in enumerate("abcdefgh"):
        cache.write(key, bytes(100))
        os.utime(tmp_path / key, (1000 + age, 1000 + age))
    assert cache.read("a") == bytes(100), "which makes it the one read last"
    for key in "ijklmnopqrst":
        cache.write(key, bytes(100))
    left = {file.name for file in tmp_path.iterdir()}
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 2000 + 2000 // 8 + 132
    assert "a" in left
    assert "b" not in left


def test_what_would_fill_the_room_is_not_kept(tmp_path: Path) -> None:
    assert not ContentCache(tmp_path, max_bytes=800).write("key", bytes(101))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("sizes", "kept"), [([60, 60], True), ([60, 80], False), ([10, 101], False), ([], True)])
def test_entries_of_use_together_are_all_kept_or_none(tmp_path: Path, sizes: list[int], kept: bool) -> None:
    cache = ContentCache(tmp_path, max_bytes=800)
    assert cache.write_together({str(at): bytes(size) for at, size in enumerate(sizes)}) == kept
    assert [cache.read(str(at)) for at in range(len(sizes))] == [bytes(size) if kept else None for size in sizes]


def test_entries_together_leave_most_of_the_others(tmp_path: Path) -> None:
    cache = ContentCache(tmp_path, max_bytes=8000)
    for at in range(8):
        cache.write(f"old {at}", bytes(900))
        os.utime(tmp_path / f"old {at}", (1000 + at, 1000 + at))
    assert cache.write_together({"a": bytes(900), "b": bytes(900)})
    assert cache.read("a") == cache.read("b") == bytes(900)
    assert sum(cache.read(f"old {at}") is not None for at in range(8)) >= 6


def test_without_a_place_to_write_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = ContentCache(tmp_path / "file")
    assert not cache.write("key", b"content")
    assert cache.read("key") is None


def test_two_programs_that_write_the_same_entry_leave_a_whole_one(tmp_path: Path) -> None:
    program = "import sys, pathlib; from webbuild.runners.content_cache import ContentCache as C\n"
    program += "for _ in range(300): assert C(pathlib.Path(sys.argv[1])).write('key', sys.argv[2].encode() * 1000)"
    both = [subprocess.Popen([sys.executable, "-c", program, tmp_path, letter]) for letter in "xy"]
    seen = set[bytes]()
    while any(each.poll() is None for each in both):
        content = ContentCache(tmp_path).read("key")
        seen.add(b"" if content is None else content)
    assert [each.returncode for each in both] == [0, 0]
    assert seen <= {b"", b"x" * 1000, b"y" * 1000}
    assert ContentCache(tmp_path).read("key") in seen - {b""}
    assert [file.name for file in tmp_path.iterdir()] == ["key"]
