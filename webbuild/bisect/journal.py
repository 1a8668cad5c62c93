"""Sessions that were had, on disk, each under a hash of all that went into it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.bisect.trial_result import SessionResult


class _Line(Struct, frozen=True):
    key: str
    session: SessionResult


class SessionJournal:
    """Answers by key, each on a line of a file; without a file they are kept in memory.

    Args:
        file: where they are kept; its folder is made.
        resume: keep what is there; otherwise start over.
    """

    def __init__(self, file: Path | None = None, *, resume: bool = False) -> None:
        self._file = file
        self._known: dict[str, SessionResult] = _read(file) if file is not None and resume else {}
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            whole = (_Line(key, session) for key, session in self._known.items())
            file.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in whole))

    def get(self, key: str) -> SessionResult | None:
        """Return what is known of a session."""
        return self._known.get(key)

    def add(self, key: str, session: SessionResult) -> None:
        """Keep a session, at once."""
        self._known[key] = session
        if self._file is not None:
            with self._file.open("ab") as stream:
                stream.write(msgspec.json.encode(_Line(key, session)) + b"\n")

    def delete(self) -> None:
        """Remove the file: the search is complete."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def hash_values(*parts: Any) -> str:
    """Return a hash of values that JSON can hold."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def hash_tensors(feeds: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash of tensors and their names."""
    found = hashlib.sha256()
    for name, value in sorted(feeds.items()):
        found.update(f"{name!r} {value.dtype} {value.shape} ".encode())
        found.update(np.ascontiguousarray(value).tobytes())
    return found.hexdigest()


def _read(file: Path) -> dict[str, SessionResult]:
    found: dict[str, SessionResult] = {}
    if not file.is_file():
        return found
    for line in file.read_bytes().splitlines():
        try:
            read = msgspec.json.decode(line, type=_Line)
        except msgspec.DecodeError:  # the half line that an interruption has left
            break
        found[read.key] = read.session
    return found
