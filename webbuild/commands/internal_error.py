"""Errors that nobody caught, printed with a fix."""

from __future__ import annotations

import errno

import click

from webbuild.errors import BUG, USAGE, WebbuildError

_DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


def report_internal_error(error: Exception) -> int:
    """Print an error that nobody caught and return the exit code: a disk that is full is no bug, the rest is."""
    if isinstance(error, OSError) and error.errno in _DISK_FULL_ERRNOS:
        problem = WebbuildError(
            "cannot-write", f"{error.filename or 'a file'}: {error.strerror}", "make room on the disk"
        )
        click.echo(str(problem), err=True)
        return USAGE
    import traceback

    traceback.print_exc()
    click.echo(
        f"error[bug] {type(error).__name__}: {error}\n  fix: this is a bug in webbuild; please report it", err=True
    )
    return BUG
