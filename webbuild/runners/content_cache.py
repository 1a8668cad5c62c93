"""A content-addressed cache on disk: a key hashes everything that the bytes were computed from.

So entries never become stale. Each entry is a file, written atomically: two programs may write at once. A file begins
with the hash of its content; a truncated or changed file counts as missing. The least recently used entries are removed
when the cache is full.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

NO_CACHE = "WEBBUILD_NO_CACHE"
"""Environment variable that disables the cache, for reading and writing."""
_MAX_BYTES = 1 << 30
"""Maximum bytes of all entries."""
_PART = 8
"""One entry may take 1 / 8 of the maximum; after each 1 / 8 written, the cache is pruned."""
_TOGETHER = 4
"""Entries that are only useful together may take 1 / 4 of the maximum."""
_HASH_BYTES = 32


class ContentCache:
    """Cache entries in a folder, which is created with the first entry.

    Args:
        folder: the folder, which contains nothing else.
        max_bytes: maximum bytes of all entries.
    """

    def __init__(self, folder: Path, max_bytes: int = _MAX_BYTES) -> None:
        self._folder, self._max_bytes = folder, max_bytes
        self._unpruned = max_bytes  # the first write prunes, since other processes may have filled the cache

    def read(self, key: str) -> bytes | None:
        """Return the bytes of a key, None if there is no entry or its hash does not match."""
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
        """Store bytes under a key. Return False if they are too large or cannot be written, as on a full disk."""
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
        """Store entries that are only useful together, and return whether all were stored. If too large, none is."""
        if not self.fits([len(content) for content in entries.values()]):
            return False
        return all(self.write(key, content) for key, content in entries.items())

    def fits(self, sizes: Collection[int]) -> bool:
        """Whether entries of these sizes, only useful together, fit into the cache."""
        largest, total = max(sizes, default=0), sum(sizes) + len(sizes) * _HASH_BYTES
        return largest <= self._max_bytes // _PART and total <= self._max_bytes // _TOGETHER

    def _prune(self) -> None:
        """Remove the least recently used entries until the others fit."""
        self._unpruned, total = 0, 0
        entries: list[tuple[float, int, Path]] = []
        for file in self._folder.iterdir():
            with suppress(OSError):  # another program may have removed it
                stat = file.stat()
                entries.append((stat.st_mtime, stat.st_size, file))
        for _, size, file in sorted(entries, reverse=True):
            total += size
            if total > self._max_bytes:
                with suppress(OSError):
                    file.unlink()
