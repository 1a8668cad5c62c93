"""One bundle in several browsers: what each of them found, as one table by adapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from webbuild.browser.places import Place
from webbuild.errors import CLEAN, FAILED, WebbuildError, printable
from webbuild.verify import words
from webbuild.verify.margin import fraction
from webbuild.verify.report import BackendRun, Json, Problem, VerifyReport, exit_code

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = 3


class Browser(Json, frozen=True):
    """A browser by its address; `report` is None where there was no way to it, and `problem` says why."""

    where: str
    report: VerifyReport | None
    problem: Problem | None

    @property
    def clean(self) -> bool:
        """Whether it gives the same answers as native ONNX Runtime."""
        return self.report is not None and exit_code(self.report) == CLEAN


class Fleet(Json, frozen=True):
    """All of them, in the order in which they were named."""

    browsers: tuple[Browser, ...]

    @property
    def exit_code(self) -> int:
        """0 only where there are browsers, and each of them is clean."""
        return CLEAN if self.browsers and all(each.clean for each in self.browsers) else FAILED


def fleet(places: Sequence[Place], found: Sequence[VerifyReport | WebbuildError]) -> Fleet:
    """Put together what `verify_in` returned."""
    return Fleet(browsers=tuple(_browser(place, each) for place, each in zip(places, found, strict=True)))


def _browser(place: Place, found: VerifyReport | WebbuildError) -> Browser:
    if isinstance(found, WebbuildError):
        problem = Problem(code=found.code, where=place.endpoint, message=found.message, fix=found.fix)
        return Browser(where=place.endpoint, report=None, problem=problem)
    return Browser(where=place.endpoint, report=found, problem=None)


def show(found: Fleet, console: Console) -> None:
    """Print a line for every browser and backend, then what failed in which."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("adapter", "browser", "backend", "answers", "of its tolerance", "a run"):
        table.add_column(title, overflow="fold")
    for each in found.browsers:
        for row in rows(each):
            table.add_row(*(Text(printable(cell)) for cell in row))
    console.print(table)
    for each in found.browsers:
        for line in lines(each):
            console.print(Text(line, style="red"))
    clean = sum(each.clean for each in found.browsers)
    style = "bold green" if found.exit_code == CLEAN else "bold red"
    console.print(Text(f"{clean} of {len(found.browsers)} browsers give the same answers.", style=style))


def rows(each: Browser) -> list[tuple[str, ...]]:
    """Return the cells of a browser: a row for each backend, one where there was no way to it."""
    if each.report is None:
        return [("", each.where, "", "not reached", "", "")]
    return [_row(each.report, run) for run in each.report.backends]


def _row(report: VerifyReport, run: BackendRun) -> tuple[str, ...]:
    worst = max((fraction(each) for each in run.comparisons), default=None)
    steady = words.milliseconds(run.timings.steady_run) if run.timings else words.milliseconds(None)
    share = "" if worst is None else f"{words.number(worst * 100)} %"
    return run.adapter, report.environment.browser, words.name(run.backend), _answers(run), share, steady


def _answers(run: BackendRun) -> str:
    if run.left_out:
        return f"not run: {run.left_out}"
    if any(each.verdict != "OK" for each in run.comparisons):
        return "differ"
    if run.problems:
        return "a problem"
    return "same" if run.comparisons else "nothing compared"


def lines(each: Browser) -> list[str]:
    """Return what failed in a browser, each with where and its mend."""
    problems = [each.problem] if each.problem else []
    if each.report is not None:
        problems += each.report.all_problems()
    told = [f"error[{p.code}] {each.where}: {printable(p.message)}\n  fix: {printable(p.fix)}" for p in problems]
    failures = each.report.failures() if each.report else []
    for failure in failures[:_SHOWN]:
        about = failure.subject
        where = f"{each.where}, {words.name(about.runner)}, {about.sample}, {about.stage} {about.output}"
        told.append(printable(f"{failure.verdict} {where}: {failure.why}"))
    return [*told, *([f"and {len(failures) - _SHOWN} more: --json shows them"] if len(failures) > _SHOWN else [])]
