"""Long measurements that go on where they were broken off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


def cached_result(file: Path, kind: type[T], measure: Callable[[], T]) -> T:
    """Return what a file holds of an earlier call; where there is none, measure it, and keep it there."""
    if not file.exists():
        file.write_bytes(msgspec.json.encode(measure()))
    return msgspec.json.decode(file.read_bytes(), type=kind)
