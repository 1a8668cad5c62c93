"""`webbuild patch` for several models: each in its own process, limited by cores and memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Lock

import click
import msgspec

from webbuild.commands.locate_and_export import export_located, parse_export_options
from webbuild.commands.options.patch import PatchArguments
from webbuild.commands.patch_messages import result_lines
from webbuild.commands.patch_model import patch_model
from webbuild.commands.patch_result import PatchError, PatchResult, failed_result
from webbuild.errors import BUG, INTERRUPTED, USAGE, WebbuildError, printable
from webbuild.model.locate import locate_model
from webbuild.reporting.progress import ProgressReporter
from webbuild.reporting.write import print_json
from webbuild.samples.sample_files import require_samples

_CHILD_PROGRAM = "from webbuild.commands.patch import patch_from_stdin; patch_from_stdin()"
_BASE_MEMORY_BYTES = 700 * 1024 * 1024
"""Memory of a process for its libraries and a small model."""
_MEMORY_FACTOR = 5
"""Memory to patch and prove a model, relative to its file size."""


def run(arguments: PatchArguments) -> int:
    """Patch models, print a line for each, and return the worst of their exit codes.

    Raises:
        WebbuildError: the error of a single model; `name-collision` if two would be written to the same file;
            `sample-not-found`.
    """
    require_samples(arguments.samples)
    progress, options = ProgressReporter(quiet=arguments.as_json), parse_export_options(arguments.export)
    models = tuple(export_located(locate_model(model), options, progress) for model in arguments.models)
    arguments = replace(arguments, models=models)
    _require_distinct_outputs(arguments.models)
    outcomes = []
    for outcome in _iter_results(arguments, progress):
        outcomes.append(outcome)
        if not arguments.as_json:
            for line in result_lines(outcome, dry_run=arguments.dry_run):
                click.echo(printable(line, 4000))
    if arguments.as_json:
        print_json(outcomes)
    return max(outcome.exit_code for outcome in outcomes)


def _iter_results(arguments: PatchArguments, progress: ProgressReporter) -> Iterator[PatchResult]:
    if len(arguments.models) == 1:
        yield patch_model(arguments.models[0], arguments, progress)
        return
    running = _ProcessPool()
    with ThreadPoolExecutor(_worker_count(arguments.models)) as pool:
        try:
            yield from pool.map(lambda model: running.patch(model, arguments), arguments.models)
        except BaseException:
            running.interrupt()
            pool.shutdown(cancel_futures=True)
            raise


class _ProcessPool:
    """The processes that are patching a model."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._interrupted = False
        self._children: set[subprocess.Popen[bytes]] = set()

    def patch(self, model: Path, arguments: PatchArguments) -> PatchResult:
        """Patch a model in its own process; an error that stops it is in the result."""
        with self._lock:
            if self._interrupted:
                return PatchResult(str(model), INTERRUPTED)
            child = subprocess.Popen(
                [sys.executable, "-P", "-c", _CHILD_PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # so that Ctrl-C reaches it only from here, and not during its cleanup
            )
            self._children.add(child)
        stdout, stderr = child.communicate(msgspec.json.encode(replace(arguments, models=(model,)), enc_hook=str))
        with self._lock:
            self._children.discard(child)
        try:
            return msgspec.json.decode(stdout, type=PatchResult)
        except msgspec.DecodeError:
            return _lost_process_result(model, child.returncode, stderr.decode(errors="replace"))

    def interrupt(self) -> None:
        """Interrupt every process, so that it cleans up, and start no more. On Windows Ctrl-C reaches all of them."""
        with self._lock:
            self._interrupted = True
            for child in () if os.name == "nt" else self._children:
                child.send_signal(signal.SIGINT)


def patch_from_stdin() -> None:
    """Patch the model of the arguments on stdin, and print its result."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    arguments = msgspec.json.decode(
        sys.stdin.buffer.read(), type=PatchArguments, dec_hook=lambda kind, text: kind(text)
    )
    (model,) = arguments.models
    try:
        outcome = patch_model(model, arguments, ProgressReporter(quiet=True))
    except WebbuildError as error:
        outcome = failed_result(model, error)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.stdout.buffer.write(msgspec.json.encode(outcome))


def _lost_process_result(model: Path, code: int, stderr: str) -> PatchResult:
    """Return the result for a model whose process ended without one: killed, out of memory, or a bug."""
    last = stderr.strip().splitlines()[-1:] or ["it printed nothing"]
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    killed = -code == getattr(signal, "SIGKILL", None)
    fix = "there was too little memory: patch it alone" if killed else "patch it alone to see more"
    error = PatchError("process-lost", f"its process ended with {how}: {last[0]}", fix)
    return PatchResult(str(model), USAGE if killed else BUG, error=error)


def _worker_count(models: Sequence[Path]) -> int:
    """Return the number of models to patch in parallel."""
    need = max(_BASE_MEMORY_BYTES + _MEMORY_FACTOR * _model_bytes(model) for model in models)
    return max(1, min(len(models), _cpu_count(), _free_memory() // need))


def _model_bytes(model: Path) -> int:
    """Return the bytes of a model and of weight files next to it with its name."""
    try:
        names = (file for file in model.parent.iterdir() if file.name.startswith(model.stem) and file.is_file())
        return sum(file.stat().st_size for file in names)
    except OSError:
        return 0


def _cpu_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _free_memory() -> int:
    """Return the available memory in bytes."""
    try:
        available = Path("/proc/meminfo").read_text("ascii").partition("MemAvailable:")[2]
        return int(available.split()[0]) * 1024
    except (OSError, IndexError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _require_distinct_outputs(models: Sequence[Path]) -> None:
    known: dict[str, Path] = {}
    for model in models:
        if model.stem in known:
            raise WebbuildError(
                "name-collision",
                f"{known[model.stem]} and {model} would both be written to the same file",
                "patch them one by one, each with another -o",
                exit_code=USAGE,
            )
        known[model.stem] = model
