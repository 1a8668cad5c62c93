"""Uncaught errors: errors of the environment get a fix, bugs get a report file for an issue."""

from __future__ import annotations

import errno
import importlib.metadata
import platform
import shlex
import sys
import tempfile
import traceback
from pathlib import Path
from types import FrameType

import click

from webbuild import __version__
from webbuild.errors import BUG, USAGE, WebbuildError, page_url, printable

_DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
_PLACE_ERRNOS = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EIO)
_FILE_LIMIT_ERRNOS = (errno.EMFILE, errno.ENFILE)
_LIBRARIES = ("numpy", "onnx", "onnx-ir", "onnxruntime", "onnxscript", "playwright")


def report_internal_error(error: Exception) -> int:
    """Print an uncaught error and return the exit code: a missing resource of the machine, or a bug."""
    problem = _environment_error(error)
    if problem is not None:
        click.echo(str(problem), err=True)
        return problem.exit_code
    report = _write_report(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    click.echo(
        f"error[bug] {printable(type(error).__name__)}: {printable(str(error).replace(chr(10), ' '))} "
        f"({Path(frame.filename).name}:{frame.lineno})\n"
        f"  fix: this is a bug in webbuild: please report it, with {report} (versions, traceback, failing node)\n"
        f"  see: {page_url('bug')}",
        err=True,
    )
    return BUG


def _environment_error(error: Exception) -> WebbuildError | None:
    """Return the error for a missing resource of the machine, such as memory or disk; None for a bug."""
    if isinstance(error, MemoryError):
        return WebbuildError(
            "out-of-memory",
            f"{error or 'the machine has no memory left'}",
            "close other programs, or use a machine with more memory",
            exit_code=USAGE,
        )
    if not isinstance(error, OSError):
        return None
    where = error.filename or "a file"
    for numbers, fix in (
        (_DISK_FULL_ERRNOS, "make room on the disk"),
        (_PLACE_ERRNOS, "choose another place, or change its permissions"),
        (_FILE_LIMIT_ERRNOS, "raise the limit of open files: ulimit -n 4096"),
    ):
        if error.errno in numbers:
            return WebbuildError("cannot-write", f"{where}: {error.strerror}", fix, exit_code=USAGE)
    return None


def _write_report(error: Exception) -> str:
    """Write the bug report to a file, and return its name."""
    versions = [f"webbuild {__version__}", f"Python {platform.python_version()}", platform.platform()]
    for library in _LIBRARIES:
        try:
            versions.append(f"{library} {importlib.metadata.version(library)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{library} is missing")
    text = "\n\n".join(
        filter(
            None,
            (
                f"command: {shlex.join(['webbuild', *sys.argv[1:]])}",
                "\n".join(versions),
                _failing_part(error),
                "".join(traceback.format_exception(error)),
            ),
        )
    )
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", prefix="webbuild-bug-", suffix=".txt", delete=False
        ) as file:
            file.write(text)
    except OSError:
        click.echo(text, err=True)
        return "the text above"
    return file.name


def _failing_part(error: Exception) -> str:
    """Return the pass and the node of the innermost frames, and a command that extracts the node."""
    frames: list[FrameType] = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    lines = []
    for frame in reversed(frames):
        node = frame.f_locals.get("node")
        if node is not None and hasattr(node, "op_type") and hasattr(node, "outputs"):
            inputs = [value.name for value in node.inputs if value is not None and not value.is_initializer()]
            outputs = [value.name for value in node.outputs]
            lines.append(f"node: {node.op_type} '{node.name}'")
            code = f"import onnx; onnx.utils.extract_model('MODEL.onnx', 'part.onnx', {inputs}, {outputs})"
            lines.append(f"the node alone, for the issue: {shlex.join(['python', '-c', code])}")
            break
    codes = (getattr(frame.f_locals.get("self"), "code", None) for frame in reversed(frames))
    if (rule := next(filter(None, codes), None)) is not None:
        lines.insert(0, f"pass or rule: {rule}")
    return "\n".join(lines)
