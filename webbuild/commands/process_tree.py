"""The descendants of this process, on Linux including orphans: their memory, and how to end them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_PROC = Path("/proc")


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants (child subreaper), so that `descendants` finds them. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants() -> list[int]:
    """Return the ids of all processes below this one; none where the system has no /proc."""
    children: dict[int, list[int]] = {}
    for folder in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):  # it has ended in the meantime
            parent = int((folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    processes, todo = list[int](), [os.getpid()]
    while todo:
        todo = [child for parent in todo for child in children.get(parent, [])]
        processes += todo
    return processes


def private_bytes() -> int:
    """Return the private memory (resident - shared) of all processes below this one."""
    pages = 0
    for process in descendants():
        with contextlib.suppress(OSError, ValueError):
            _, resident, shared, *_ = map(int, (_PROC / str(process) / "statm").read_text("ascii").split())
            pages += resident - shared
    return pages * os.sysconf("SC_PAGE_SIZE")


def end_tree(child: subprocess.Popen[bytes], grace: float) -> None:
    """Interrupt a session leader, so that it cleans up; after `grace` seconds kill it and its descendants."""
    with contextlib.suppress(ProcessLookupError):
        child.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(grace)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    while left := descendants():  # a killed process may leave orphans
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
