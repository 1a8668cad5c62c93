"""`webbuild verify`: a bundle against native ONNX Runtime, in a real browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.report_file import write_report_file

if TYPE_CHECKING:
    from webbuild.verify.report import VerifyReport


def run(
    directory: Path,
    backends: Sequence[str],
    inputs: Sequence[Path],
    as_json: bool,
    html: Path | None,
    *,
    jsep: bool = False,
    seconds: float = 300,
) -> int:
    """Verify a bundle, print the report, return its exit code.

    JSON goes to stdout with `as_json`; the table for people and the progress always go to stderr.

    Raises:
        WebbuildError: see `verify`; `unwritable-report`.
    """
    import click
    import msgspec

    from webbuild.verify.report import exit_code

    report = check(directory, backends, inputs, html, jsep=jsep, seconds=seconds)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    return exit_code(report)


def check(
    directory: Path,
    backends: Sequence[str],
    inputs: Sequence[Path],
    html: Path | None,
    *,
    jsep: bool = False,
    seconds: float = 300,
) -> VerifyReport:
    """Verify a bundle, show the table on stderr, write the page, return the report.

    Raises:
        WebbuildError: see `verify`; `unwritable-report`.
    """
    from rich.console import Console

    from webbuild.verify.text import show
    from webbuild.verify.verify import verify

    talk = Console(stderr=True)
    with talk.status("starting") as status:
        report = verify(directory, backends, inputs, jsep=jsep, seconds=seconds, say=status.update)
    show(report, talk)
    if html is not None:
        write_page(html, report)
    return report


def write_page(path: Path, report: VerifyReport) -> None:
    """Write the report with its pictures as HTML, and say where.

    Raises:
        WebbuildError: `unwritable-report`.
    """
    import click

    from webbuild.verify.report_html import render

    write_report_file(path, render(report))
    click.echo(f"report: {path}", err=True)
