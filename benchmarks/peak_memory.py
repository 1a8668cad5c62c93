"""The peak anonymous memory of a command: pages mapped from files are not counted."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

_INTERVAL = 0.02
"""Seconds between samples."""


class Usage(Struct, frozen=True):
    """Peak anonymous memory in bytes, wall time, and processor time of all threads in seconds."""

    memory: int
    clock: float
    processor: float


def peak_memory(arguments: Sequence[str | Path]) -> int:
    """Run `webbuild` with these arguments; return the peak anonymous memory of its processes in bytes.

    Raises:
        RuntimeError: the command failed.
    """
    return measure_usage(arguments).memory


def measure_usage(arguments: Sequence[str | Path]) -> Usage:
    """Run `webbuild` with these arguments; return its memory and times.

    Raises:
        RuntimeError: the command failed.
    """
    begun, before = time.perf_counter(), _processor()
    command = [sys.executable, "-c", "from webbuild.cli import main; main()", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        most = 0
        while running.poll() is None:
            most = max(most, sum(_anonymous_bytes(process) for process in _process_tree(running.pid)))
            time.sleep(_INTERVAL)
        told = running.stderr.read() if running.stderr is not None else ""
    if running.returncode:
        raise RuntimeError(told)
    return Usage(most, time.perf_counter() - begun, _processor() - before)


def _processor() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _process_tree(process: int) -> list[int]:
    """Return a process and its descendants."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    except OSError:
        return [process]
    return [process, *(each for child in children for each in _process_tree(int(child)))]


def _anonymous_bytes(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text("ascii")
    except OSError:
        return 0
    line = next((line for line in status.splitlines() if line.startswith("RssAnon:")), "RssAnon: 0 kB")
    return int(line.split()[1]) * 1024
