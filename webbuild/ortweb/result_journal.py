"""A journal of results on disk, so that an interrupted measurement or search can resume."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")


class Journal(Generic[T]):
    """Records by key, one per line of a file; without a file only in memory.

    Args:
        kind: the type of the records.
        file: the file; its folder is created.
        resume: keep the existing records; otherwise start over.
    """

    def __init__(self, kind: type[T], file: Path | None = None, *, resume: bool = False) -> None:
        self._file = file
        self.records = _read(file, kind) if file is not None and resume else {}
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(_lines(self.records))  # drops a partial last line of an interrupted write

    def add(self, records: Mapping[str, T]) -> None:
        """Add records, and write them immediately."""
        self.records |= records
        if self._file is not None:
            with self._file.open("ab") as stream:
                stream.write(_lines(records))

    def delete(self) -> None:
        """Delete the file, when everything is measured."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def hash_values(*parts: Any) -> str:
    """Return a hash of JSON values."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _lines(records: Mapping[str, Any]) -> bytes:
    return b"".join(msgspec.json.encode(each) + b"\n" for each in records.items())


def _read(file: Path, kind: type[T]) -> dict[str, T]:
    records: dict[str, T] = {}
    for line in file.read_bytes().splitlines() if file.is_file() else ():
        try:
            key, record = msgspec.json.decode(line, type=tuple[str, kind])  # type: ignore[valid-type]
        except msgspec.DecodeError:
            break
        records[key] = record
    return records
