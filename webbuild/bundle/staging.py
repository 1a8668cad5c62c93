"""Atomic output folders: written next to their final place, and moved there when complete."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from webbuild.bundle.interrupts import ignoring_interrupts
from webbuild.errors import USAGE, WebbuildError

PARTIAL_LIST = "WEBBUILD_PARTIAL_LIST"
"""Environment variable: the file that lists folders with unfinished output, each followed by NUL."""


def check_output_folder(
    out: Path, *, force: bool, marks: Sequence[str] = ("manifest.json",), option: str = "-o"
) -> None:
    """Raise unless output may be written to `out`, which `option` gives.

    `marks`: an existing folder must have one of these files, which show that the same command wrote it.

    Raises: WebbuildError: `output-exists`; `not-a-bundle` if --force would delete other files; `cannot-write` if no
    folder can be created.
    """
    check_writable(out)
    if not out.exists() and not out.is_symlink():
        return
    if out.resolve() in (Path.cwd(), *Path.cwd().parents):
        raise WebbuildError(
            "cannot-write",
            f"{out}: the current folder is in it, so it cannot be replaced",
            f"give another folder with {option}, or run the command elsewhere",
            exit_code=USAGE,
        )
    if not force:
        raise WebbuildError(
            "output-exists",
            f"{out}: already exists",
            f"give another folder with {option}, or --force to replace this one",
            exit_code=USAGE,
        )
    if (
        out.is_symlink()
        or not out.is_dir()
        or (any(out.iterdir()) and not any((out / mark).is_file() for mark in marks))
    ):
        raise WebbuildError(
            "not-a-bundle",
            f"{out}: this command did not write it, so --force does not replace it",
            f"give another folder with {option}, or remove this one yourself",
            exit_code=USAGE,
        )


def check_writable(out: Path) -> None:
    """Raise unless `out` can be created; its parents are created later.

    Raises:
        WebbuildError: `cannot-write`.
    """
    try:
        there = next(parent for parent in out.absolute().parents if parent.exists())
        tempfile.TemporaryDirectory(prefix=f".{out.name}.", suffix=".partial", dir=there).cleanup()
    except OSError as error:
        raise unwritable_output(out, error) from error


def make_partial(name: str, parent: Path) -> Path:
    """Create an empty folder for unfinished output, and list it for a process that may have to kill this one."""
    folder = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".partial", dir=parent))
    if listed := os.environ.get(PARTIAL_LIST):
        with Path(listed).open("ab") as file:
            file.write(os.fsencode(folder.absolute()) + b"\0")
    return folder


def remove_partial(listed: Path) -> None:
    """Remove the folders that a killed process listed in a file."""
    for name in listed.read_bytes().split(b"\0") if listed.exists() else ():
        if name:
            shutil.rmtree(name, ignore_errors=True)


@contextmanager
def staged_folder(out: Path) -> Iterator[Path]:
    """Return a context manager with an empty folder next to `out`, which replaces `out` if the block succeeds.

    If the block fails, the folder is deleted.

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
    """Replace `out` by `folder`; the old folder is deleted after the new one is in place."""
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


def unwritable_output(out: Path, error: OSError) -> WebbuildError:
    """Return the error for output that cannot be written to the disk."""
    missing = f": {error.filename}" if isinstance(error, FileNotFoundError) and error.filename else ""
    return WebbuildError(
        "cannot-write",
        f"{out}: {error.strerror or error}{missing}",
        "no partial output remains; free disk space or choose another folder",
        exit_code=USAGE,
    )
