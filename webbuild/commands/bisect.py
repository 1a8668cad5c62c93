"""`webbuild bisect`: which node makes the answers differ, and how small a graph shows it."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
from msgspec import Struct

from webbuild.bisect.artefacts import keep
from webbuild.bisect.bisect import How, searched
from webbuild.bisect.report import exit_code
from webbuild.bisect.subject import Asked, opened
from webbuild.bisect.text import show
from webbuild.bundle.staging import check_place
from webbuild.talk import Talk
from webbuild.tasks._base import REDUCED
from webbuild.verify.compare import RELATIVE


class Request(Struct, frozen=True):
    """The arguments of the command."""

    asked: Asked
    how: How
    out: Path | None
    force: bool
    as_json: bool


def request(
    subject: Path,
    *,
    backend: str,
    precision: str,
    build: str | None,
    against: str,
    tolerance: float | None,
    outputs: tuple[str, ...],
    inputs: tuple[Path, ...],
    dims: tuple[str, ...],
    out: Path | None,
    seconds: float,
    resume: bool,
    force: bool,
    as_json: bool,
) -> Request:
    """Return the command's options in the form that it works with."""
    asked = Asked(subject, backend, build == "jsep", outputs, inputs, dims, precision)
    usual = RELATIVE if precision == "fp32" else REDUCED.relative
    return Request(asked, How(against, tolerance or usual, seconds, resume), out, force, as_json)


def run(request: Request) -> int:
    """Search, write what was found, print it. Returns the exit code: 1 where anything differs.

    Raises:
        WebbuildError: see `opened` and `searched`; `output-exists`, `not-a-bundle`, `cannot-write`.
    """
    name = request.asked.path.resolve().name.removesuffix(".onnx")
    out = request.out or Path(f"bisect-{name}")
    check_place(out, force=request.force, marks=("bisect.json",))
    talk = Talk(quiet=request.as_json)
    with talk.step("read the graph"):
        subject = opened(request.asked)
    for assumption in subject.assumptions:
        talk.say(f"  assumed: {assumption}")
    with searched(subject, request.how, lambda line: talk.say(f"  {line}")) as (report, result, tester):
        if result.found:
            report = keep(out, report, result, tester, subject)
    if request.as_json:
        click.echo(msgspec.json.encode(report).decode())
    else:
        show(report, out)
    return exit_code(report)
