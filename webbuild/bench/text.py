"""The report as text: a line for every browser and backend, then what failed and how to fix it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from webbuild.bench.formatting import (
    COST_COLUMNS,
    TIMING_COLUMNS,
    cost_cells,
    describe_backend,
    format_stages,
    row_title,
    timing_cells,
)
from webbuild.bench.report import BackendBench, BenchReport, exit_code
from webbuild.errors import CLEAN
from webbuild.reporting.problem_text import print_problems
from webbuild.reporting.terminal_tables import fitting_tables, unbroken

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_report(report: BenchReport, console: Console) -> None:
    """Print a report for people."""
    from rich.text import Text

    if not report.backends:
        console.print(Text("Nothing was measured.", style="bold red"))
    for each in report.backends:
        console.print(Text(describe_backend(each)))
        if each.run_times is not None:
            console.print(
                Text(f"  the median of {len(each.run_times.runs)} runs: {format_stages(each) or 'no stages reported'}")
            )
    for titles, cells in ((TIMING_COLUMNS, timing_cells), (COST_COLUMNS, cost_cells)):
        for table in _tables(report, titles, cells, console.width):
            console.print(table)
    print_problems(report.problems(), console)
    if exit_code(report) != CLEAN and not report.problems():
        console.print(Text("Not everything was measured.", style="bold red"))


def _tables(
    report: BenchReport, titles: Sequence[str], cells: Callable[[BackendBench], list[str]], width: int
) -> Iterator[Table]:
    from rich.text import Text

    rows = [[Text(row_title(each)), *(Text(unbroken(cell)) for cell in cells(each))] for each in report.backends]
    return fitting_tables(["", *titles], rows, width)
