"""Report of one bundle in several browsers, as one table by adapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from webbuild.browser.open_browser import Endpoint
from webbuild.errors import CLEAN, FAILED, WebbuildError, printable
from webbuild.reporting.comparison_text import describe_reason
from webbuild.reporting.problem_text import problem_lines
from webbuild.reporting.terminal_tables import fitting_tables
from webbuild.verify import formatting
from webbuild.verify.report import BackendRun, Problem, ReportJson, VerifyReport, exit_code, problem_of

if TYPE_CHECKING:
    from rich.console import Console

TABLE_TITLES = ("adapter", "browser", "backend", "answers", "of its tolerance", "a run")
"""Column titles of `table_rows`. A difference is given as a percentage of its tolerance."""
_MAX_FAILURES_SHOWN = 3


class BrowserReport(ReportJson, frozen=True):
    """A browser by its address; `report` is None if it could not be reached, and `problem` says why."""

    where: str
    report: VerifyReport | None
    problem: Problem | None

    @property
    def clean(self) -> bool:
        """Whether its results equal native ONNX Runtime's."""
        return self.report is not None and exit_code(self.report) == CLEAN


class MultiEndpointReport(ReportJson, frozen=True):
    """The reports of all browsers, in the order of the command line."""

    browsers: tuple[BrowserReport, ...]

    @property
    def exit_code(self) -> int:
        """0 only if there is a browser, and every browser is clean."""
        return CLEAN if self.browsers and all(each.clean for each in self.browsers) else FAILED


def collect_reports(places: Sequence[Endpoint], reports: Sequence[VerifyReport | WebbuildError]) -> MultiEndpointReport:
    """Combine the results of `verify_in_browsers`."""
    return MultiEndpointReport(
        browsers=tuple(_browser_report(endpoint, each) for endpoint, each in zip(places, reports, strict=True))
    )


def _browser_report(endpoint: Endpoint, report: VerifyReport | WebbuildError) -> BrowserReport:
    where = endpoint.title
    if isinstance(report, WebbuildError):
        return BrowserReport(where=where, report=None, problem=problem_of(report, where))
    return BrowserReport(where=where, report=report, problem=None)


def show_browsers(report: MultiEndpointReport, console: Console) -> None:
    """Print a line for every browser and backend, then the failures of each browser."""
    from rich.text import Text

    rows = [[Text(printable(cell)) for cell in row] for each in report.browsers for row in table_rows(each)]
    for table in fitting_tables(TABLE_TITLES, rows, console.width, justify="left"):
        console.print(table)
    for each in report.browsers:
        for line in failure_lines(each):
            console.print(Text(line, style="red"))
    clean = sum(each.clean for each in report.browsers)
    style = "bold green" if report.exit_code == CLEAN else "bold red"
    console.print(Text(f"{clean} of {len(report.browsers)} browsers give the same results.", style=style))


def table_rows(each: BrowserReport) -> list[tuple[str, ...]]:
    """Return the rows of a browser: one per backend, or a single row if it could not be reached."""
    if each.report is None:
        return [("", each.where, "", "not reached", "", "")]
    return [_table_row(each.report, run) for run in each.report.backends]


def _table_row(report: VerifyReport, run: BackendRun) -> tuple[str, ...]:
    worst = run.tolerance_used
    steady = formatting.format_milliseconds(run.timings.steady_run if run.timings else None)
    share = "" if worst is None else f"{formatting.format_number(worst * 100)} %"
    return (
        run.adapter,
        report.environment.browser,
        formatting.runner_name(run.backend),
        _describe_answers(run),
        share,
        steady,
    )


def _describe_answers(run: BackendRun) -> str:
    if run.skip_reason:
        return f"not run: {run.skip_reason}"
    if any(each.verdict != "OK" for each in run.comparisons):
        return "differ"
    if run.problems:
        return "a problem"
    return "same" if run.comparisons else "nothing compared"


def failure_lines(each: BrowserReport) -> list[str]:
    """Return the problems and differing comparisons of a browser, with location and fix."""
    problems = [each.problem] if each.problem else []
    if each.report is not None:
        problems += each.report.all_problems()
    lines = ["\n".join(texts) for texts in problem_lines(problems, each.where)]
    failures = each.report.failures() if each.report else []
    for failure in failures[:_MAX_FAILURES_SHOWN]:
        about = failure.subject
        where = f"{each.where}, {formatting.runner_name(about.runner)}, {about.sample}, {about.stage} {about.output}"
        lines.append(printable(f"{failure.verdict} {where}: {describe_reason(failure)}"))
    if len(failures) > _MAX_FAILURES_SHOWN:
        lines.append(f"and {len(failures) - _MAX_FAILURES_SHOWN} more: --json shows them")
    return lines
