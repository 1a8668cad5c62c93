"""Process groups: a process that is ended together with its children."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import Any


def new_group() -> dict[str, Any]:
    """Return the arguments of `Popen` that start a process in a new group, which Ctrl-C does not reach."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def end_process(process: subprocess.Popen[Any]) -> None:
    """End a process that was started with `new_group`, and its children, and wait until it has ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
