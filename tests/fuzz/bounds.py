"""How many examples are tried, and the limits of one case."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, settings

from webbuild.errors import WebbuildError
from webbuild.runners import native

SECONDS = 20.0
"""Processor time of a case."""
BYTES = 3 << 30
"""Memory that a case may reserve beyond the process's own; a model of a few hundred bytes needs next to none."""

ENDED: dict[str, Counter[str]] = {}
"""How the inputs of each kind ended: accepted, or refused, by error code. `make fuzz` records it."""

_ALL = os.environ.get("WEBBUILD_EXAMPLES") == "fuzz"


def tried(few: int, many: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Set the number of examples: `few` in `make test`, `many` in `make fuzz`."""

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        bound = settings(
            max_examples=many if _ALL else few,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        return bound(test)

    return decorate


def count(what: str, code: str) -> None:
    """Count how an input ended: with an error of this code, or accepted ("")."""
    ENDED.setdefault(what, Counter())[code or "accepted"] += 1


@contextlib.contextmanager
def typed_end(what: str) -> Iterator[None]:
    """Run a block that reads an input within the limits; accept a WebbuildError, and count the outcome."""
    code = ""
    with bounded():
        try:
            yield
        except WebbuildError as error:
            code = error.code
    count(what, code)


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Limit a block's memory, so that more raises MemoryError; fail if it takes too much processor time."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_reserved() + BYTES, hard))
    begun = time.process_time()
    try:
        with mock.patch.object(native, "RUN_SECONDS", SECONDS / 4):  # for an endless loop
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    taken = time.process_time() - begun
    assert taken < SECONDS, f"{taken:.0f} s of processor time"


def _reserved() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
