"""`webbuild inspect`: the verdict before the run."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
from msgspec import Struct

from webbuild.dims import choose_sizes, parse_dims
from webbuild.inspection.inspect import inspect
from webbuild.inspection.inspection import Inspection, exit_code
from webbuild.model import load
from webbuild.report_file import write_report_file
from webbuild.talk import Talk
from webbuild.targets.table import table
from webbuild.targets.target import parse


class Request(Struct, frozen=True):
    """The arguments of the command."""

    model: Path
    target: str
    dims: tuple[str, ...]
    measure: bool
    as_json: bool
    html: Path | None


def run(request: Request) -> int:
    """Inspect a model and print what was found. Returns the exit code: 1 where there is an error.

    Raises:
        WebbuildError: `no-target`, `unwritable-report`, and whatever keeps a model from being loaded or measured.
    """
    from rich.console import Console

    from webbuild.inspection.text import show, show_measurement

    measured = table(parse(request.target))
    talk = Talk(quiet=request.as_json)
    source = load(request.model)
    sizes = choose_sizes(source.facts, parse_dims(request.dims))
    for assumption in sizes.assumptions:
        talk.say(f"  assumed: {assumption}")
    inspection = inspect(request.model.name, source.model, measured, sizes.dims, sizes.assumptions)
    if request.html is not None:
        _write(request.html, inspection)
    measurement = None
    if request.measure:
        from webbuild.inspection.measured import measure

        with talk.step("measure it in Chromium"):
            measurement = measure(inspection, source, sizes.dims)
    if request.as_json:
        told = msgspec.to_builtins(inspection) | ({"measurement": measurement} if measurement else {})
        click.echo(msgspec.json.encode(told).decode())
    else:
        show(inspection, Console())
        if measurement is not None:
            show_measurement(measurement, Console())
    return exit_code(inspection)


def _write(path: Path, inspection: Inspection) -> None:
    from webbuild.inspection.drawing import render

    write_report_file(path, render(inspection))
    click.echo(f"report: {path}", err=True)
