"""Tables for a terminal: no line is too long, no word is broken, no content is lost."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from rich.console import Console
from rich.text import Text

from webbuild.reporting.terminal_tables import fitting_tables, unbroken
from webbuild.verify.multi_endpoint_report import TABLE_TITLES


def printed(titles: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    for table in fitting_tables(titles, [[Text(cell) for cell in row] for row in rows], width):
        console.print(table)
    return stream.getvalue().splitlines()


TIMES = ("bytes", "session", "first result", "second visit", "a run", "median", "p95")
NUMBERS = [["WebGPU", *map(unbroken, ["7.0 MB", "0", "3,087 ms", "22.4 s", "32.3 s", "5,845 ms", "7,146 ms"])]]
COSTS = ("nodes on the CPU", "dispatches", "uploads", "readbacks", "longest task", "blocked", "growth")
COST = [["WebGPU", *map(unbroken, ["0 of 333", "306", "312, 29.4 kB", "2, 22.8 kB", "7.2 ms", "0.0 ms", "GPU 4 kB"])]]
BROWSERS = [["google swiftshader", "Chromium 156.0.8078.79", "WebGPU", "nothing compared", "12 %", "185 ms"]]
OUTPUTS = [["golden", *(unbroken(f"1.{n}e-04 px") for n in range(12))]]


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize(
    ("titles", "rows"),
    [
        (["", *TIMES], NUMBERS),
        (["", *COSTS], COST),
        (TABLE_TITLES, BROWSERS),
        (["sample", *(f"output_with_a_long_name_{n}" for n in range(12))], OUTPUTS),
    ],
    ids=["times", "costs", "browsers", "many outputs"],
)
def test_every_word_is_whole_and_every_line_fits(
    titles: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> None:
    lines = printed(titles, rows, width)
    assert max(map(len, lines)) <= width
    given = {word for cell in (*titles, *rows[0]) for word in cell.split(" ") if word}
    shown = {word for line in lines for word in line.split(" ") if word and set(word) != {"─"}}
    assert shown == given


def test_what_fits_is_one_table_with_each_cell_on_one_line() -> None:
    lines = printed(["sample", "a score"], [["one of several", "0.5 of 1"]], 80)
    assert sum("one of several" in line and "0.5 of 1" in line for line in lines) == 1
