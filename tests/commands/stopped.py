"""Packs in a child process that waits at a chosen function until it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PROGRAM = """
import sys, time
from pathlib import Path
from importlib import import_module
from webbuild.ortweb import packaged_assets
packaged_assets.WEB_ROOT = Path(sys.argv.pop(1))
module, name = sys.argv.pop(1).split(":")
if module:
    module = import_module(module)
    honest = getattr(module, name)
    def stop(*args, **options):
        result = honest(*args, **options)
        print("here", flush=True)
        for _ in range(3000):  # a Ctrl-C between a call and its sleep would be heard only after it
            time.sleep(0.1)
        return result
    setattr(module, name, stop)
from webbuild.cli import main
main()
"""


def start(
    place: str, web: Path, *arguments: str | Path, prepare: Callable[[], None] = lambda: None
) -> subprocess.Popen[str]:
    """Run `webbuild` with the runtime in `web`; after the function `place`, "module:name", it waits for an interrupt.

    `prepare` runs in the new process first. A shell starts its background jobs with SIGINT ignored, `nohup` ignores
    SIGHUP, and tests may run in one: the new process restores the default handlers.
    """

    def hear() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        prepare()

    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(web), place, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear,
    )


def interrupt(process: subprocess.Popen[str], number: int = signal.SIGINT) -> str:
    """Send Ctrl-C, or another signal, once the process waits; return its stderr."""
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "here\n", process.stderr and process.stderr.read()
        os.killpg(process.pid, number)
        return process.communicate(timeout=60)[1]
    finally:
        process.kill()
