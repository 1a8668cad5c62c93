"""Stored results, so that an interrupted measurement can continue."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


def cached_result(file: Path, kind: type[T], measure: Callable[[], T]) -> T:
    """Return a file's stored result; if there is none, measure it and store it."""
    if not file.exists():
        file.write_bytes(msgspec.json.encode(measure()))
    return msgspec.json.decode(file.read_bytes(), type=kind)
