"""The sample files that the user gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from webbuild.errors import USAGE, WebbuildError

IMAGE_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}
"""Suffixes of picture files."""


def require_samples(paths: Sequence[Path]) -> None:
    """Raise if a sample file does not exist, before any slow step.

    Raises:
        WebbuildError: `sample-not-found`.
    """
    for path in paths:
        if not path.exists():
            what = f"{path}: no such file or folder"
            raise WebbuildError("sample-not-found", what, "check the path of --sample", exit_code=USAGE)


def pictures_in(folder: Path) -> list[Path]:
    """Return the pictures in a folder, sorted by name; [] if the folder does not exist."""
    return sorted(file for file in folder.glob("*") if file.suffix.lower() in IMAGE_SUFFIXES)


def expand_folders(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the paths, with each folder replaced by the pictures in it.

    Raises:
        WebbuildError: `sample-not-found` for a folder without pictures.
    """
    for path in paths:
        files = pictures_in(path) if path.is_dir() else [path]
        if not files:
            fix = f"give a folder with pictures ({', '.join(sorted(IMAGE_SUFFIXES))}), or the files themselves"
            raise WebbuildError("sample-not-found", f"{path}: no picture in this folder", fix, exit_code=USAGE)
        yield from files
