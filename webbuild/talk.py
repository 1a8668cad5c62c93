"""What a command says while it works: steps on stderr, so that stdout stays data."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from webbuild.errors import printable


class Talk:
    """Says what is being done, how long it took, and what came of it."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty() and not quiet

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Announce a step, and its duration once it is done."""
        started = time.perf_counter()
        if self._live:
            self._write(f"  … {title}\r")
        try:
            yield
        except BaseException:
            self.say(f"  ✗ {title}")
            raise
        self.say(f"  ✓ {title} ({time.perf_counter() - started:.1f} s)")

    def say(self, text: str = "") -> None:
        """Print a line."""
        if not self._quiet:
            line = printable(text, 2000)
            self._write(f"\x1b[2K{line}\n" if self._live else f"{line}\n")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
