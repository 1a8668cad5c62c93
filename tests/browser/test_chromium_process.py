"""Ending a browser that does not exit by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from webbuild.browser import chromium


@pytest.mark.posix
def test_a_process_that_ignores_the_polite_signal_is_ended() -> None:
    stubborn = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", stubborn], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    chromium._EXIT_TIMEOUT, before = 0.2, chromium._EXIT_TIMEOUT
    try:
        chromium._terminate(process.pid)
    finally:
        chromium._EXIT_TIMEOUT = before
    assert process.wait(10) == -signal.SIGKILL


def test_windows_is_not_asked_whether_a_process_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(chromium, "_WINDOWS", True)
    monkeypatch.setattr(os, "kill", lambda pid, number: asked.append((pid, number)))
    assert not chromium._still_running(1, 0.1)
    assert asked == [], "0 is CTRL_C_EVENT there"
