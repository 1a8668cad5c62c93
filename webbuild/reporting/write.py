"""A report, written where the user asked for it."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from webbuild.errors import USAGE, WebbuildError


def write_html(path: Path, html: str) -> None:
    """Write a page, and say where it is. Raises WebbuildError `unwritable-report`."""
    try:
        path.write_text(html, encoding="utf-8")
    except OSError as error:
        raise WebbuildError(
            "unwritable-report",
            f"{path}: {error.strerror}",
            "give a file in a folder that exists and may be written",
            exit_code=USAGE,
        ) from error
    click.echo(f"report: {path}", err=True)


def encode_json(report: object) -> str:
    """Return a report as JSON, for people and programs."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def print_json(report: object) -> None:
    """Print a report as JSON on stdout."""
    click.echo(encode_json(report))
