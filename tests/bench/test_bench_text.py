"""The tables that `bench` prints: in a terminal of 80 columns too no word and no number is broken."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.bench.made import backend, report
from webbuild.bench.formatting import COST_COLUMNS, TIMING_COLUMNS, cost_cells, timing_cells
from webbuild.bench.text import print_report


@pytest.mark.parametrize("width", [60, 80, 160])
def test_no_word_of_a_table_is_broken(width: int) -> None:
    backends = [backend(), backend(backend="wasm", engine_build="wasm")]
    written = io.StringIO()
    print_report(report(*backends), Console(file=written, width=width))
    text = written.getvalue()
    assert max(map(len, text.splitlines())) <= width
    words = {word for title in (*TIMING_COLUMNS, *COST_COLUMNS) for word in title.split()}
    assert words - set(text.split()) == set()
    cells = {
        cell.replace(" ", "\N{NO-BREAK SPACE}")
        for each in backends
        for cell in (*timing_cells(each), *cost_cells(each))
    }
    assert [cell for cell in cells if cell not in text] == []
