"""A file of class names: one a line, or JSON."""

from __future__ import annotations

import json
from pathlib import Path

from webbuild.errors import USAGE, WebbuildError

_MAX_BYTES = 10_000_000
"""Bytes that are read; the names of ImageNet's 21,841 classes are a tenth of it."""


def read_class_names(path: Path) -> list[str]:
    """Return the names in the order of their indices: lines, a JSON list, or a JSON object of index to name.

    Raises:
        WebbuildError: `unreadable-labels`.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise _invalid_class_names(path, f"more than {_MAX_BYTES:,} bytes")
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise _invalid_class_names(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise _invalid_class_names(path, f"is no text in UTF-8, at byte {error.start}") from error
    return _from_json(path, text) if text.lstrip()[:1] in ("[", "{") else _from_lines(path, text)


def _from_lines(path: Path, text: str) -> list[str]:
    lines = [line.strip() for line in text.rstrip().splitlines()]
    for number, line in enumerate(lines, 1):
        if not line:
            raise _invalid_class_names(path, f"line {number} is empty")
    return lines


def _from_json(path: Path, text: str) -> list[str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _invalid_class_names(path, f"begins like JSON and is none: {error}") from error
    names = value
    if isinstance(value, dict):
        if sorted(value) != sorted(str(index) for index in range(len(value))):
            raise _invalid_class_names(path, "its keys are not the indices 0, 1, 2 and so on")
        names = [value[str(index)] for index in range(len(value))]
    for index, name in enumerate(names):
        if not isinstance(name, str) or not name.strip():
            raise _invalid_class_names(path, f"the name of index {index} is not a text")
    return [name.strip() for name in names]


def _invalid_class_names(path: Path, reason: str) -> WebbuildError:
    return WebbuildError(
        "unreadable-labels",
        f"{path}: {reason}",
        "give a file in UTF-8 with one name a line, a JSON list of names, or a JSON object of index to name",
        exit_code=USAGE,
    )


def count_classes(count: int) -> str:
    """Return `1 class`, `80 classes`."""
    return "1 class" if count == 1 else f"{count} classes"
