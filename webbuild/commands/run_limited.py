"""A command in a child process with limits of memory and time, for untrusted models."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from webbuild.bundle.staging import PARTIAL_LIST, remove_partial
from webbuild.commands.options.shared import LimitArguments
from webbuild.commands.process_tree import adopt_orphans, end_tree, private_bytes
from webbuild.errors import BUG, INTERRUPTED, USAGE, WebbuildError

_LIMITED_BY_VARIABLE = "WEBBUILD_LIMITED_BY"
"""Environment variable of the limited process: the process id of its parent."""
_WEBBUILD_EXIT_CODES = (0, 1, USAGE, BUG, INTERRUPTED)
"""Exit codes of webbuild."""
_C_LIBRARY_NO_MEMORY = 127
"""Exit code of the C library when thread-local storage cannot be allocated. An uncaught bad_alloc in C++ aborts."""
_GRACE_SECONDS = 3.0
"""Seconds for a process to clean up before it is killed."""
_POLL_SECONDS = 0.05
"""Seconds between two measurements of memory."""
_MORE_TIME = "if you trust the model, give a higher --limit-time, or leave it out"
_MORE_MEMORY = "if you trust the model, give a higher --limit-memory, or leave it out"


def within_limits(run: Callable[[], int], arguments: LimitArguments) -> int:
    """Run a command within the limits of its arguments, in a child with the same arguments. Returns its exit code.

    Raises:
        WebbuildError: `time-limit-reached`, `memory-limit-reached`, `process-lost`, `no-limits`. Partial output is
            removed.
    """
    if os.environ.get(_LIMITED_BY_VARIABLE) == str(os.getppid()):
        return _run_limited(run, arguments.limit_bytes)
    _require_limits(arguments)
    adopt_orphans()
    temporary = Path(tempfile.mkdtemp(prefix="webbuild-limited-"))
    listed = temporary / "partial"
    environment = {
        **os.environ,
        "TMPDIR": str(temporary),
        PARTIAL_LIST: str(listed),
        _LIMITED_BY_VARIABLE: str(os.getpid()),
    }
    command = [sys.executable, "-P", "-m", "webbuild", *sys.argv[1:]]
    code = INTERRUPTED
    child = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        code = _wait(child, arguments)
    finally:
        end_tree(child, _GRACE_SECONDS)
        remove_partial(listed)
        if code != BUG:  # the bug report is in it
            shutil.rmtree(temporary, ignore_errors=True)
    if code not in _WEBBUILD_EXIT_CODES:
        fix = f"it may have lacked memory: {_MORE_MEMORY}" if arguments.limit_bytes else "run it again without limits"
        raise WebbuildError("process-lost", f"the process within the limits ended with {_exit_text(code)}", fix)
    return code


def _wait(child: subprocess.Popen[bytes], arguments: LimitArguments) -> int:
    """Return the exit code of a process. Raises WebbuildError when it reaches a limit."""
    started, limit, peak = time.monotonic(), arguments.limit_bytes, 0
    while True:
        try:
            code = child.wait(_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        else:
            if limit and (code == _C_LIBRARY_NO_MEMORY or (code == -signal.SIGABRT and peak > limit // 2)):
                raise _too_much_memory(limit)
            return code
        if arguments.limit_time is not None and time.monotonic() - started > arguments.limit_time:
            message = f"not finished after {arguments.limit_time:g} seconds, the limit of --limit-time"
            raise WebbuildError("time-limit-reached", message, _MORE_TIME)
        peak = max(peak, private_bytes()) if limit else 0
        if peak > limit:
            raise _too_much_memory(limit)


def _run_limited(run: Callable[[], int], size: int) -> int:
    """Run a command in this process, the limited child."""
    if size:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    try:
        return run()
    except (MemoryError, WebbuildError) as error:
        if size and (isinstance(error, MemoryError) or error.code == "out-of-memory"):
            raise _too_much_memory(size) from error
        raise
    except KeyboardInterrupt:  # the parent prints why
        return INTERRUPTED


def _too_much_memory(size: int) -> WebbuildError:
    message = f"it takes more memory than {size / 2**30:g} GiB, the limit of --limit-memory"
    return WebbuildError("memory-limit-reached", message, _MORE_MEMORY)


def _exit_text(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _require_limits(arguments: LimitArguments) -> None:
    if os.name == "nt" or (arguments.limit_bytes and sys.platform != "linux"):
        raise WebbuildError(
            "no-limits",
            f"{'--limit-memory' if arguments.limit_bytes else '--limit-time'}: this system has no such limit",
            "run it on Linux, or in a container with its own limits",
            exit_code=USAGE,
        )
