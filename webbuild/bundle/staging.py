"""A folder written beside its place and put there whole, or not at all."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from webbuild.errors import USAGE, WebbuildError

PARTIAL_LIST = "WEBBUILD_PARTIAL_LIST"
"""Environment variable: a file in which the folders that are being written are listed, each with a NUL after it."""


def check_output_folder(out: Path, *, force: bool, marks: Sequence[str] = ("manifest.json",)) -> None:
    """Raise unless a bundle may be written to `out`. `marks` are files of which what is replaced must have one.

    Raises:
        WebbuildError: `output-exists`, or `not-a-bundle` where --force would delete something else; `cannot-write`
            where no folder can be made.
    """
    _check_writable(out)
    if not out.exists() and not out.is_symlink():
        return
    if not force:
        raise WebbuildError(
            "output-exists",
            f"{out}: already exists",
            "give another folder with -o, or --force to replace this one",
            exit_code=USAGE,
        )
    if (
        out.is_symlink()
        or not out.is_dir()
        or (any(out.iterdir()) and not any((out / mark).is_file() for mark in marks))
    ):
        raise WebbuildError(
            "not-a-bundle",
            f"{out}: not a webbuild bundle, so --force does not replace it",
            "give another folder with -o, or remove this one yourself",
            exit_code=USAGE,
        )


def _check_writable(out: Path) -> None:
    """Raise `cannot-write` unless a folder can be made where `out` will be; its parents are made later."""
    try:
        there = next(parent for parent in out.absolute().parents if parent.exists())
        tempfile.TemporaryDirectory(prefix=f".{out.name}.", suffix=".partial", dir=there).cleanup()
    except OSError as error:
        raise unwritable_output(out, error) from error


def make_partial(name: str, parent: Path) -> Path:
    """Make an empty folder for what is being written, and list it for who may have to kill this process."""
    folder = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".partial", dir=parent))
    if listed := os.environ.get(PARTIAL_LIST):
        with Path(listed).open("ab") as file:
            file.write(os.fsencode(folder.absolute()) + b"\0")
    return folder


def remove_partial(listed: Path) -> None:
    """Remove the folders that a killed process left, as it listed them in a file."""
    for name in listed.read_bytes().split(b"\0") if listed.exists() else ():
        if name:
            shutil.rmtree(name, ignore_errors=True)


@contextmanager
def staged_folder(out: Path) -> Iterator[Path]:
    """Give an empty folder beside `out` that takes its place if the block succeeds and vanishes if not.

    Raises:
        WebbuildError: `cannot-write`.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        folder = make_partial(out.name, out.parent)
    except OSError as error:
        raise unwritable_output(out, error) from error
    try:
        folder.chmod(0o755)
        yield folder
        _replace_folder(folder, out)
    except OSError as error:
        raise unwritable_output(out, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _replace_folder(folder: Path, out: Path) -> None:
    """Put `folder` in the place of `out`; what was there is deleted only once the new one stands."""
    old = folder.with_suffix(".old")
    with ignoring_interrupts():
        if out.exists():
            out.rename(old)
        try:
            folder.rename(out)
        except OSError:
            if old.exists():
                old.rename(out)
            raise
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C for a block that takes milliseconds and must not stop halfway."""
    if threading.current_thread() is not threading.main_thread():  # only that one hears them
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def unwritable_output(out: Path, error: OSError) -> WebbuildError:
    """Return the error for a disk that does not take what is written."""
    missing = f": {error.filename}" if isinstance(error, FileNotFoundError) and error.filename else ""
    return WebbuildError(
        "cannot-write",
        f"{out}: {error.strerror or error}{missing}",
        "no partial output remains; free disk space or choose another folder with -o",
        exit_code=USAGE,
    )
