"""The file of `--labels`: class names, or the dictionary of a text recognizer."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError

_MAX_BYTES = 10_000_000
"""Maximum file size; the names of ImageNet's 21,841 classes take a tenth of it."""


class LabelsFile(Struct, frozen=True):
    """A file of labels and its text."""

    path: Path
    text: str


def read_labels(path: Path) -> LabelsFile:
    """Read a file of labels.

    Raises:
        WebbuildError: `unreadable-labels`.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise unreadable_labels(path, f"more than {_MAX_BYTES:,} bytes")
        return LabelsFile(path, path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise unreadable_labels(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise unreadable_labels(path, f"is not UTF-8 text, at byte {error.start}") from error


def unreadable_labels(path: Path, reason: str) -> WebbuildError:
    """Return the error for a file without labels."""
    return WebbuildError(
        "unreadable-labels",
        f"{path}: {reason}",
        "give a file in UTF-8 with one name a line, a JSON list of names, or a JSON object of index to name",
        exit_code=USAGE,
    )


def labels_do_not_fit(what: str, fix: str) -> WebbuildError:
    """Return the error for labels that do not fit the model."""
    return WebbuildError("wrong-labels", what, fix, exit_code=USAGE)
