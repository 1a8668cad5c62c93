"""A journal of results on disk, so that an interrupted measurement or search can resume."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")


class Journal(Generic[T]):
    """Records by key, each on a line of a file; without a file they are kept in memory.

    Args:
        kind: of the records.
        file: where they are kept; its folder is made.
        resume: keep what is there; otherwise start over.
    """

    def __init__(self, kind: type[T], file: Path | None = None, *, resume: bool = False) -> None:
        self._file = file
        self.records = _read(file, kind) if file is not None and resume else {}
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(_lines(self.records))  # without the half line that an interruption may have left

    def add(self, records: Mapping[str, T]) -> None:
        """Keep records, at once."""
        self.records |= records
        if self._file is not None:
            with self._file.open("ab") as stream:
                stream.write(_lines(records))

    def delete(self) -> None:
        """Remove the file: everything is done."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def hash_values(*parts: Any) -> str:
    """Return a hash of values that JSON can hold."""
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
