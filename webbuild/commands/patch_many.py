"""`webbuild patch` for several models: each in a process of its own, as many at a time as cores and memory allow."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import click
import msgspec

from webbuild.assets import engine_version
from webbuild.commands.patch import Failure, Outcome, Request, failed, patch
from webbuild.commands.patch_lines import lines
from webbuild.errors import BUG, INTERRUPTED, USAGE, WebbuildError, printable
from webbuild.passes._base import Suppression
from webbuild.talk import Talk
from webbuild.targets.target import Target

_CHILD = "from webbuild.commands.patch_many import child; child()"
_BASE = 700 * 1024 * 1024
"""Bytes that a process takes for its libraries and a small model."""
_TIMES = 5
"""How many times its size a model takes while it is patched and proven."""


def requests(
    models: Sequence[Path],
    out: Path,
    targets: Sequence[str],
    dims: Sequence[str],
    samples: Sequence[Path],
    nms: Suppression,
    dry_run: bool,
    force: bool,
) -> list[Request]:
    """Return what to do with each model; without a target, the build that is shipped."""
    wanted = tuple(dict.fromkeys(targets)) or (Target(engine_version(), "webgpu").name,)
    common = (str(out), wanted, tuple(dims), tuple(map(str, samples)), nms, dry_run, force)
    return [Request(str(model), *common) for model in models]


def run(requests: Sequence[Request], *, as_json: bool) -> int:
    """Patch models, print a line for each, and return the worst of their exit codes.

    Raises:
        WebbuildError: what stops a single model; `same-name` for two that would be written to one file.
    """
    _distinct(requests)
    outcomes = []
    for outcome in _outcomes(requests, as_json):
        outcomes.append(outcome)
        if not as_json:
            for line in lines(outcome, dry_run=requests[0].dry_run):
                click.echo(printable(line, 4000))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(outcomes), indent=2).decode())
    return max(outcome.exit_code for outcome in outcomes)


def _outcomes(requests: Sequence[Request], as_json: bool) -> Iterator[Outcome]:
    if len(requests) == 1:
        yield patch(requests[0], Talk(quiet=as_json))
        return
    running = _Running()
    with ThreadPoolExecutor(_at_once(requests)) as pool:
        try:
            yield from pool.map(running.outcome, requests)
        except BaseException:
            running.interrupt()
            pool.shutdown(cancel_futures=True)
            raise


class _Running:
    """The processes that work on a model now."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._over = False
        self._children: set[subprocess.Popen[bytes]] = set()

    def outcome(self, request: Request) -> Outcome:
        """Patch a model in a process of its own; what stops that one is in the outcome."""
        with self._lock:
            if self._over:
                return Outcome(request.model, INTERRUPTED)
            child = subprocess.Popen(
                [sys.executable, "-c", _CHILD],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C reaches it once, from here, and not in the middle of cleaning up
            )
            self._children.add(child)
        said, complaint = child.communicate(msgspec.json.encode(request))
        with self._lock:
            self._children.discard(child)
        try:
            return msgspec.json.decode(said, type=Outcome)
        except msgspec.DecodeError:
            return _lost(request, child.returncode, complaint.decode(errors="replace"))

    def interrupt(self) -> None:
        """Ask every process to clean up and end, and start no more."""
        with self._lock:
            self._over = True
            for child in self._children:
                child.send_signal(signal.SIGINT)


def child() -> None:
    """Patch the model of the request on stdin, and print its outcome."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=Request)
    try:
        outcome = patch(request, Talk(quiet=True))
    except WebbuildError as error:
        outcome = failed(request, error)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.stdout.buffer.write(msgspec.json.encode(outcome))


def _lost(request: Request, code: int, complaint: str) -> Outcome:
    """Return the outcome of a model whose process ended without one: killed, out of memory, or a bug."""
    last = complaint.strip().splitlines()[-1:] or ["it said nothing"]
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    fix = "patch it alone to see more; if it was killed, there was too little memory"
    return Outcome(request.model, BUG, error=Failure("process-lost", f"its process ended with {how}: {last[0]}", fix))


def _at_once(requests: Sequence[Request]) -> int:
    """Return how many models are worked on at a time."""
    need = max(_BASE + _TIMES * _size(Path(request.model)) for request in requests)
    return max(1, min(len(requests), _cores(), _free_memory() // need))


def _size(model: Path) -> int:
    """Return the bytes of a model and of its weights, where those lie beside it under its name."""
    try:
        names = (file for file in model.parent.iterdir() if file.name.startswith(model.stem) and file.is_file())
        return sum(file.stat().st_size for file in names)
    except OSError:
        return 0


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _free_memory() -> int:
    """Return the bytes that programs may still take."""
    try:
        told = Path("/proc/meminfo").read_text("ascii").partition("MemAvailable:")[2]
        return int(told.split()[0]) * 1024
    except (OSError, IndexError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _distinct(requests: Sequence[Request]) -> None:
    known: dict[str, str] = {}
    for request in requests:
        stem = Path(request.model).stem
        if stem in known:
            raise WebbuildError(
                "same-name",
                f"{known[stem]} and {request.model} would be written to one file",
                "patch them one by one, each with another -o",
                exit_code=USAGE,
            )
        known[stem] = request.model
