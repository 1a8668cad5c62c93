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

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_GAP = 3
"""Columns of a terminal between two columns of a table."""


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
    """Yield the columns in as many tables as it takes for none to be wider than `width`: no word is broken."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    names = [row_title(each) for each in report.backends]
    rows = [[cell.replace(" ", "\N{NO-BREAK SPACE}") for cell in cells(each)] for each in report.backends]
    widths = [max(map(len, (*title.split(), *column))) for title, *column in zip(titles, *rows, strict=True)]
    left = width - max(map(len, names), default=0) - 2 * _GAP
    groups: list[list[int]] = [[]]
    for index, needed in enumerate(widths):
        if groups[-1] and sum(widths[each] + _GAP for each in groups[-1]) + needed > left:
            groups.append([])
        groups[-1].append(index)
    for group in groups:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("")
        for index in group:
            table.add_column(titles[index], justify="right", overflow="fold", width=widths[index])
        for name, row in zip(names, rows, strict=True):
            table.add_row(Text(name), *(row[index] for index in group))
        yield table
