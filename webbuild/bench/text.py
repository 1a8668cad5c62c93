"""The report as text: a line for every browser and backend, then what failed and how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from webbuild.bench.report import BackendBench, BenchReport, exit_code
from webbuild.bench.words import COSTS, TIMES, costs, row, stages, times, where
from webbuild.errors import CLEAN, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def show(report: BenchReport, console: Console) -> None:
    """Print a report for people."""
    from rich.text import Text

    if not report.backends:
        console.print(Text("Nothing was measured.", style="bold red"))
    for each in report.backends:
        console.print(Text(where(each)))
        if each.frames is not None:
            console.print(Text(f"  the median of {len(each.frames.runs)} runs: {stages(each) or 'no stages told'}"))
    console.print(_table(report, TIMES, times))
    console.print(_table(report, COSTS, costs))
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
        table.add_row(Text(row(each)), *(cell.replace(" ", "\N{NO-BREAK SPACE}") for cell in cells(each)))
    return table
