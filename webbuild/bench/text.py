"""The report as text: a line for every browser and backend, then the failures and their fixes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from webbuild.bench.formatting import column_title, describe_backend, format_stages, number_rows
from webbuild.bench.report import BenchReport, RunTimes, exit_code
from webbuild.errors import CLEAN
from webbuild.reporting.problem_text import print_problems
from webbuild.reporting.terminal_tables import fitting_tables, unbroken

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_report(report: BenchReport, console: Console) -> None:
    """Print a report as text."""
    from rich.text import Text

    if not report.backends:
        console.print(Text("Nothing was measured.", style="bold red"))
    for each in report.backends:
        console.print(Text(describe_backend(each)))
        if each.run_times is not None:
            console.print(Text(f"  {_runs(each.run_times)}: {format_stages(each) or 'no stages reported'}"))
    if report.backends:
        for table in _tables(report, console.width):
            console.print(table)
    print_problems(report.problems(), console)
    if exit_code(report) != CLEAN and not report.problems():
        console.print(Text("Not everything was measured.", style="bold red"))


def _runs(runs: RunTimes) -> str:
    return "one run" if len(runs.runs) == 1 else f"median of {len(runs.runs)} runs"


def _tables(report: BenchReport, width: int) -> Iterator[Table]:
    from rich.text import Text

    rows = [[Text(title), *(Text(unbroken(cell)) for cell in cells)] for title, cells in number_rows(report.backends)]
    return fitting_tables(["", *map(column_title, report.backends)], rows, width)
