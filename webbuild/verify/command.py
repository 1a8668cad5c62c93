"""`webbuild verify`: a bundle against native ONNX Runtime, in a real browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.errors import USAGE, WebbuildError
from webbuild.report_file import write_report_file

if TYPE_CHECKING:
    from webbuild.verify.report import VerifyReport


def run(
    directory: Path,
    backends: Sequence[str],
    *,
    inputs: Sequence[Path],
    as_json: bool,
    html: Path | None,
    precision: str = "auto",
    jsep: bool = False,
    endpoints: Sequence[str] = (),
    public: str = "",
    port: int = 0,
    seconds: float = 300,
) -> int:
    """Verify a bundle, print the report, return its exit code.

    JSON goes to stdout with `as_json`; the table for people and the progress always go to stderr. Of several browsers
    there is one table and one JSON, and no page.

    Raises:
        WebbuildError: see `places` and `verify_in`; `unwritable-report`; `one-page` for a page of several browsers.
    """
    import click
    import msgspec
    from rich.console import Console

    from webbuild.browser.places import places
    from webbuild.verify import fleet
    from webbuild.verify.report import exit_code
    from webbuild.verify.text import show
    from webbuild.verify.verify import verify_in

    at, talk = places(endpoints, public), Console(stderr=True)
    if html is not None and len(at) > 1:
        mend = "leave --html out and take --json, or verify in one browser at a time"
        raise WebbuildError("one-page", f"{html}: a page shows the answers of one browser", mend, exit_code=USAGE)
    with talk.status("starting") as status:
        found = verify_in(
            at,
            directory,
            backends,
            inputs,
            precision=precision,
            jsep=jsep,
            port=port,
            seconds=seconds,
            say=status.update,
        )
    report: VerifyReport | fleet.Fleet
    if len(found) > 1:
        report = fleet.fleet(at, found)
        fleet.show(report, talk)
        code = report.exit_code
    else:
        (alone,) = found
        if isinstance(alone, WebbuildError):
            raise alone
        report, code = alone, exit_code(alone)
        show(report, talk)
        if html is not None:
            write_page(html, report)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    return code


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
