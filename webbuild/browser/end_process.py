"""A process group: started together with its children, and ended with them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import Any


def new_group() -> dict[str, Any]:
    """Return the arguments of `Popen` that give a process a group of its own, which Ctrl-C does not reach."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def end_process(process: subprocess.Popen[Any]) -> None:
    """End a process that `new_group` was used for, with its children, and wait until it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
