"""Signals that end a command: Ctrl-C, SIGTERM (`timeout`, `docker stop`, a cancelled job) and a closed terminal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_TERMINATIONS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def interrupt_on_termination() -> None:
    """Make SIGTERM and SIGHUP interrupt like Ctrl-C, so that partial output is removed; `nohup` still works."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread receives signals
        return
    for number in _TERMINATIONS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


@contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Ignore these signals for a block that takes milliseconds and must not stop halfway."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, *_TERMINATIONS)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
