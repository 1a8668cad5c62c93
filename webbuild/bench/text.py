"""The report as text: a line for every browser and backend, then what failed and how to fix it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from webbuild.errors import CLEAN, printable

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
    console.print(_table(report, TIMING_COLUMNS, timing_cells))
    console.print(_table(report, COST_COLUMNS, cost_cells))
    for problem in report.problems():
        console.print(Text(f"error[{problem.code}] {problem.where}: {printable(problem.message)}", style="red"))
        console.print(Text(f"  fix: {printable(problem.fix)}"))
    if exit_code(report) != CLEAN and not report.problems():
        console.print(Text("Not everything was measured.", style="bold red"))


def _table(report: BenchReport, titles: Sequence[str], cells: Callable[[BackendBench], list[str]]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for title in titles:
        table.add_column(title, justify="right", overflow="fold")
    for each in report.backends:
        table.add_row(Text(row_title(each)), *(cell.replace(" ", "\N{NO-BREAK SPACE}") for cell in cells(each)))
    return table
