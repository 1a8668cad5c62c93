"""`webbuild bench`: what a bundle costs in a real browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from webbuild.browser.places import places
from webbuild.report_file import write_report_file


def run(
    directory: Path,
    backends: Sequence[str],
    *,
    inputs: Sequence[Path],
    runs: int,
    as_json: bool,
    html: Path | None,
    endpoints: Sequence[str],
    public: str,
    port: int,
    precision: str = "auto",
) -> int:
    """Measure a bundle, print the report, return its exit code.

    JSON goes to stdout with `as_json`; the table for people and the progress always go to stderr.

    Raises:
        WebbuildError: see `bench`; `unwritable-report`.
    """
    import click
    import msgspec
    from rich.console import Console

    from webbuild.bench.bench import bench
    from webbuild.bench.report import exit_code
    from webbuild.bench.report_html import render
    from webbuild.bench.text import show

    talk, at = Console(stderr=True), places(endpoints, public)
    with talk.status("starting") as status:
        report = bench(directory, backends, inputs, precision=precision, at=at, port=port, runs=runs, say=status.update)
    show(report, talk)
    if html is not None:
        write_report_file(html, render(report))
        click.echo(f"report: {html}", err=True)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    return exit_code(report)
