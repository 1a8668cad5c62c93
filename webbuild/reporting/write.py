"""A report, written where the user asked for it."""

from __future__ import annotations

from pathlib import Path

from webbuild.errors import USAGE, WebbuildError


def write_report_file(path: Path, html: str) -> None:
    """Write a page. Raises WebbuildError `unwritable-report`."""
    try:
        path.write_text(html, encoding="utf-8")
    except OSError as error:
        raise WebbuildError(
            "unwritable-report",
            f"{path}: {error.strerror}",
            "give a file in a folder that exists and may be written",
            exit_code=USAGE,
        ) from error
