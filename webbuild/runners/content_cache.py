"""A cache on disk: bytes by a key that hashes all they were computed from, so that nothing in it is ever out of date.

Each entry is a file of its own, which takes its place whole: two programs may write at once. It begins with the hash of
its content, and what is torn or changed is not there. The entries read longest ago go where all take too much room.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

NO_CACHE = "WEBBUILD_NO_CACHE"
"""Environment variable: where it is set, nothing is kept and nothing reused."""
MAX_BYTES = 1 << 30
"""Bytes of all entries."""
_PART = 8
"""The part of the room that is pruned at a time, and that one entry may take."""
_TOGETHER = 4
"""The part of the room that entries of use only together may take."""
_HASH_BYTES = 32


class ContentCache:
    """Entries in a folder, which is made for the first.

    Args:
        folder: holds nothing else.
        max_bytes: of all entries together.
    """

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        self._folder, self._max_bytes = folder, max_bytes
        self._unpruned = max_bytes  # the first entry looks at what others have left

    def read(self, key: str) -> bytes | None:
        """Return the bytes that were kept under a key, None where there are none or not the same."""
        file = self._folder / key
        try:
            entry = file.read_bytes()
        except OSError:
            return None
        content = entry[_HASH_BYTES:]
        if entry[:_HASH_BYTES] != hashlib.sha256(content).digest():
            return None
        with suppress(OSError):
            os.utime(file)
        return content

    def write(self, key: str, content: bytes) -> bool:
        """Keep bytes under a key, and return whether they are: not what takes too much room, nor on a full disk."""
        if len(content) > self._max_bytes // _PART:
            return False
        partial: Path | None = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                partial = Path(file.name)
                file.write(hashlib.sha256(content).digest())
                file.write(content)
            partial.replace(self._folder / key)
        except OSError:
            if partial is not None:
                with suppress(OSError):
                    partial.unlink(missing_ok=True)
            return False
        self._unpruned += len(content)
        if self._unpruned > self._max_bytes // _PART:
            self._prune()
        return True

    def write_together(self, entries: Mapping[str, bytes]) -> bool:
        """Keep entries of use only together, and return whether all are. Where there is no room, none is written."""
        if not self.fits([len(content) for content in entries.values()]):
            return False
        return all(self.write(key, content) for key, content in entries.items())

    def fits(self, sizes: Collection[int]) -> bool:
        """Whether there is room for entries of so many bytes, of use only together."""
        largest, total = max(sizes, default=0), sum(sizes) + len(sizes) * _HASH_BYTES
        return largest <= self._max_bytes // _PART and total <= self._max_bytes // _TOGETHER

    def _prune(self) -> None:
        """Remove the entries that were read longest ago until the others fit."""
        self._unpruned, total = 0, 0
        entries: list[tuple[float, int, Path]] = []
        for file in self._folder.iterdir():
            with suppress(OSError):  # another program has removed it
                about = file.stat()
                entries.append((about.st_mtime, about.st_size, file))
        for _, size, file in sorted(entries, reverse=True):
            total += size
            if total > self._max_bytes:
                with suppress(OSError):
                    file.unlink()
