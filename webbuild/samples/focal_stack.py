"""Focal stacks from folders or files, or from `samples/` next to the model."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.samples.sample_files import IMAGE_SUFFIXES, require_samples

_FOCUS_FILES = ("focus.json", "focus_distances.json", "focus_distances", "focus_distances.txt", "focus.txt")
_MAX_BYTES = 1_000_000
"""Maximum bytes to read from a file of focal distances."""


class FocalStack(Struct, frozen=True):
    """Pictures of one scene in order, and the focal distance of each; empty if unknown."""

    name: str
    files: tuple[Path, ...]
    focus: tuple[float, ...]


def stacks_from_paths(paths: Sequence[Path]) -> list[FocalStack]:
    """Return a stack for each folder, and one stack of all single files.

    Raises:
        WebbuildError: `sample-not-found`, `unreadable-focal-distances`.
    """
    require_samples(paths)
    files = tuple(path for path in paths if not path.is_dir())
    together = [FocalStack(_common_name(files), files, _focus_of_files(files))] if files else []
    return [*(read_stack(path) for path in paths if path.is_dir()), *together]


def find_stacks(folder: Path, count: int) -> list[FocalStack]:
    """Return the stacks of `count` pictures in the subfolders of a folder; other stacks are for other models.

    Raises:
        WebbuildError: `unreadable-focal-distances`.
    """
    stacks = (read_stack(each) for each in sorted(folder.glob("*"), key=_natural_sort_key) if each.is_dir())
    return [stack for stack in stacks if len(stack.files) == count]


def read_stack(folder: Path) -> FocalStack:
    """Read a folder: its pictures in the order of the numbers in their names, and their focal distances.

    Those are in `focus.json`, a list or an object with `focus_distances`, or as text in `focus_distances`.

    Raises:
        WebbuildError: `unreadable-focal-distances`.
    """
    files = [file for file in folder.iterdir() if file.suffix.lower() in IMAGE_SUFFIXES]
    return FocalStack(folder.name, tuple(sorted(files, key=_natural_sort_key)), _read_focus_distances(folder))


def _focus_of_files(files: Sequence[Path]) -> tuple[float, ...]:
    """Return the focal distances in the folder of the files, if the files are all pictures in it."""
    folder = files[0].parent
    return read_stack(folder).focus if set(files) == set(read_stack(folder).files) else ()


def _read_focus_distances(folder: Path) -> tuple[float, ...]:
    for name in _FOCUS_FILES:
        if (path := folder / name).is_file():
            return _parse_numbers(path)
    return ()


def _parse_numbers(path: Path) -> tuple[float, ...]:
    try:
        text = path.read_text("utf-8-sig")[:_MAX_BYTES]
        value: Any = json.loads(text) if text.lstrip()[:1] in ("[", "{") else re.split(r"[\s,;]+", text.strip())
        if isinstance(value, dict):
            value = value.get("focus_distances", value.get("focus"))
        numbers = tuple(float(each) for each in value)
    except (OSError, ValueError, TypeError) as error:
        raise _invalid_focus_file(path, str(error)) from error
    if not all(map(math.isfinite, numbers)):
        raise _invalid_focus_file(path, "not every number is finite")
    return numbers


def _invalid_focus_file(path: Path, reason: str) -> WebbuildError:
    return WebbuildError(
        "unreadable-focal-distances",
        f"{path}: {reason}",
        "write the focal distances as a JSON list, one for each picture: [0.5, 1.0, 3.0]",
        exit_code=USAGE,
    )


def _natural_sort_key(path: Path) -> list[tuple[int, str]]:
    """Return a sort key by which 10.png follows 9.png."""
    parts = re.split(r"(\d+)", path.name.lower())
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _common_name(files: Sequence[Path]) -> str:
    folders = {file.parent.name for file in files}
    return folders.pop() or "stack" if len(folders) == 1 else "stack"
