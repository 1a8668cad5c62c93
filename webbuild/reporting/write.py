"""Text output to files and stdout, with the same bytes on every system."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from webbuild.errors import USAGE, WebbuildError, page_url

_NOT_REPLACEABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)
"""Errors of a file that may be written but not replaced."""


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8 with line feeds: with Windows' line ends the hashes would differ."""
    path.write_text(text, encoding="utf-8", newline="\n")


def check_report_files(*paths: Path | None) -> None:
    """Raise unless the files, which are written after a long run, can be written.

    Raises:
        WebbuildError: `unwritable-report`.
    """
    for path in paths:
        if path is None or (path.exists() and not path.is_file() and not path.is_dir()):  # a pipe would be used up
            continue
        try:
            file = path.resolve()  # a link stays
            is_new = not file.exists()
            file.open("ab").close()
            if is_new:
                file.unlink()
        except OSError as error:
            raise _unwritable_report(path, error) from error


def write_report(path: Path, text: str) -> None:
    """Write a report as HTML or Markdown, and print its path; a file is replaced only by a complete one.

    Raises:
        WebbuildError: `unwritable-report`.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or a device
            write_text(path, text)
        else:
            _replace_text(path.resolve(), text)
    except OSError as error:
        raise _unwritable_report(path, error) from error
    click.echo(f"report: {path}", err=True)


def _replace_text(path: Path, text: str) -> None:
    """Replace a file, with its mode; where its folder does not allow that, as for a mounted file, write into it."""
    partial = path.with_name(f".{os.getpid()}.partial")
    try:
        write_text(partial, text)
        if path.exists():
            shutil.copymode(path, partial)
        partial.replace(path)
    except OSError as error:
        if error.errno not in _NOT_REPLACEABLE:
            raise
        write_text(path, text)
    finally:
        partial.unlink(missing_ok=True)


def _unwritable_report(path: Path, error: OSError) -> WebbuildError:
    return WebbuildError(
        "unwritable-report",
        f"{path}: {error.strerror}",
        "give a file in a folder that exists and may be written",
        exit_code=USAGE,
    )


def shell_quote(path: Path) -> str:
    """Return a path as a word of a command line that a message prints, quoted if it has spaces."""
    return subprocess.list2cmdline([path]) if os.name == "nt" else shlex.quote(str(path))


def encode_json(report: object) -> str:
    """Return a report as formatted JSON. Objects with a code get the `url` of its page."""
    return msgspec.json.format(msgspec.json.encode(_with_urls(msgspec.to_builtins(report))), indent=2).decode()


def _with_urls(value: Any) -> Any:
    """Return a value in which every object with a `code` has a `url` after it. A comparison's code is its `reason`."""
    if isinstance(value, (list, tuple)):
        return [_with_urls(each) for each in value]
    if not isinstance(value, dict):
        return value
    fields: dict[str, Any] = {}
    for key, each in value.items():
        fields[key] = _with_urls(each)
        if isinstance(each, str) and (key == "code" or (key == "reason" and "verdict" in value)):
            fields["url"] = page_url(each)
    return fields


def print_json(report: object) -> None:
    """Print a report as JSON on stdout; in ASCII if stdout is not UTF-8, such as a redirection on Windows."""
    text = encode_json(report)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if encoding.lower().replace("-", "") != "utf8":
        text = re.sub(r"[^\x00-\x7f]", lambda match: json.dumps(match[0])[1:-1], text)
    click.echo(text)
