"""Stacks of pictures: given as folders or as files, found beside the model, or made up."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError

PICTURES = {".jpg", ".jpeg", ".png", ".webp"}
"""Suffixes of files that are taken for pictures."""
_FOCUS = ("focus.json", "focus_distances.json", "focus_distances", "focus_distances.txt", "focus.txt")
_LARGEST = 1_000_000
"""Bytes of a file of focal distances that are read."""


class Stack(Struct, frozen=True):
    """Pictures of one scene in their order, and the distance that each is focused at; none where that is not said."""

    name: str
    files: tuple[Path, ...]
    focus: tuple[float, ...]


def given_stacks(paths: Sequence[Path]) -> list[Stack]:
    """Return a stack for each folder, and one of all files together.

    Raises:
        WebbuildError: `no-such-sample`, `unreadable-focus`.
    """
    for path in paths:
        if not path.exists():
            raise WebbuildError("no-such-sample", f"{path}: no such file", "check the path", exit_code=USAGE)
    files = tuple(path for path in paths if not path.is_dir())
    together = [Stack(_common(files), files, _beside(files))] if files else []
    return [*(read_stack(path) for path in paths if path.is_dir()), *together]


def stacks_beside(folder: Path, count: int) -> list[Stack]:
    """Return the stacks of `count` pictures in the folders of a folder; others are some other model's.

    Raises:
        WebbuildError: `unreadable-focus`.
    """
    found = (read_stack(each) for each in sorted(folder.glob("*"), key=_in_order) if each.is_dir())
    return [stack for stack in found if len(stack.files) == count]


def read_stack(folder: Path) -> Stack:
    """Read a folder: its pictures in the order of the numbers in their names, and their focal distances.

    Those are in `focus.json`, a list or an object with `focus_distances`, or as text in `focus_distances`.

    Raises:
        WebbuildError: `unreadable-focus`.
    """
    files = [file for file in folder.iterdir() if file.suffix.lower() in PICTURES]
    return Stack(folder.name, tuple(sorted(files, key=_in_order)), _focus(folder))


def _beside(files: Sequence[Path]) -> tuple[float, ...]:
    """Return the focal distances in the folder of the files, if they are all of its pictures."""
    folder = files[0].parent
    return read_stack(folder).focus if set(files) == set(read_stack(folder).files) else ()


def _focus(folder: Path) -> tuple[float, ...]:
    for name in _FOCUS:
        if (path := folder / name).is_file():
            return _numbers(path)
    return ()


def _numbers(path: Path) -> tuple[float, ...]:
    try:
        text = path.read_text("utf-8-sig")[:_LARGEST]
        value: Any = json.loads(text) if text.lstrip()[:1] in ("[", "{") else re.split(r"[\s,;]+", text.strip())
        if isinstance(value, dict):
            value = value.get("focus_distances", value.get("focus"))
        numbers = tuple(float(each) for each in value)
    except (OSError, ValueError, TypeError) as error:
        raise _unreadable(path, str(error)) from error
    if not all(map(math.isfinite, numbers)):
        raise _unreadable(path, "not every number is finite")
    return numbers


def _unreadable(path: Path, why: str) -> WebbuildError:
    return WebbuildError(
        "unreadable-focus",
        f"{path}: {why}",
        "write the focal distances as a JSON list, one for each picture: [0.5, 1.0, 3.0]",
        exit_code=USAGE,
    )


def _in_order(path: Path) -> list[tuple[int, str]]:
    """Return a key by which 10.png follows 9.png."""
    parts = re.split(r"(\d+)", path.name.lower())
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _common(files: Sequence[Path]) -> str:
    folders = {file.parent.name for file in files}
    return folders.pop() or "stack" if len(folders) == 1 else "stack"
