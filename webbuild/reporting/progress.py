"""Progress on stderr, so that stdout stays data: steps with a spinner while they run, then their duration."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from webbuild.errors import printable


class ProgressReporter:
    """Prints steps and lines on stderr; nothing if quiet, and no spinner if stderr is not a terminal.

    Without `durations` a step prints a line only if it fails.
    """

    def __init__(self, *, quiet: bool = False, durations: bool = True) -> None:
        from rich.console import Console

        self.durations = durations

        self.console = Console(stderr=True, quiet=quiet, highlight=False, markup=False, emoji=False, soft_wrap=True)

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Show a step while it runs, then its duration."""
        started = time.perf_counter()
        try:
            with self.console.status(title):
                yield
        except BaseException:
            self.print(f"  ✗ {title}")
            raise
        if self.durations:
            self.print(f"  ✓ {title} ({time.perf_counter() - started:.1f} s)")

    def print(self, text: str = "") -> None:
        """Print a line."""
        self.console.print(printable(text, 2000))

    def print_lines(self, lines: Iterable[str]) -> None:
        """Print lines, indented below a step if steps print lines."""
        for line in lines:
            self.print(f"    {line}" if self.durations else line)
