"""The tables that `bench` prints: no word and no number is broken, even in a terminal of 80 columns."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console

from tests.bench.made import EXAMINED, PEAK, backend, report
from webbuild.bench.formatting import DASH, number_rows
from webbuild.bench.text import print_report


@pytest.mark.parametrize("width", [60, 80, 160])
def test_no_word_of_a_table_is_broken(width: int) -> None:
    backends = [backend(), backend(backend="wasm", engine_build="wasm")]
    written = io.StringIO()
    print_report(report(*backends), Console(file=written, width=width))
    text = written.getvalue()
    assert max(map(len, text.splitlines())) <= width
    words = {word for title, _ in number_rows(backends) for word in title.split()}
    assert words - set(text.split()) == set()
    cells = {cell.replace(" ", "\N{NO-BREAK SPACE}") for _, row in number_rows(backends) for cell in row}
    assert [cell for cell in cells if cell not in text] == []


def test_two_backends_are_one_table_in_eighty_columns() -> None:
    written = io.StringIO()
    print_report(report(backend(), backend(backend="wasm")), Console(file=written, width=80))
    lines = written.getvalue().splitlines()
    assert sum("───" in line for line in lines) == 1
    assert [" ".join(line.split()) for line in lines if "nodes on the CPU" in line] == [
        f"nodes on the CPU 2 of 143 {DASH}"
    ]


def test_the_peak_of_memory_is_a_dash_where_the_browser_does_not_tell() -> None:
    silent = backend(backend="wasm", peak_memory=msgspec.structs.replace(PEAK, page=None, gpu=0))
    rows = dict(number_rows([backend(), silent, backend(peak_memory=None)]))
    assert rows["peak memory, JS and WASM"] == ["42.0 MB", DASH, DASH]
    assert rows["peak memory, GPU"] == ["9.1 MB", "0", DASH]
    assert rows["peak memory, all"] == ["51.1 MB", DASH, DASH]
    assert rows["weights"] == ["3.3 MB", "3.3 MB", DASH]


def test_the_peaks_are_compared_with_the_plan() -> None:
    planned = backend(peak_memory=msgspec.structs.replace(PEAK, planned=7_000_000))
    rows = dict(number_rows([planned]))
    assert rows["peak memory, GPU"] == ["9.1 MB, 1.30 times the plan"]
    assert rows["peak memory, all"] == ["51.1 MB, 7.30 times the plan"]


@pytest.mark.parametrize(("read", "shown"), [(0, "0"), (802_816, "0.8 MB")])
def test_what_is_read_back_between_stages_is_a_row_of_models_of_several(read: int, shown: str) -> None:
    staged = backend(profile=msgspec.structs.replace(EXAMINED, between_stages=read))
    wasm = backend(backend="wasm", profile=None)
    rows = dict(number_rows([staged, wasm]))
    assert rows["read back between stages"] == [shown, DASH]
    assert "read back between stages" not in dict(number_rows([backend(), wasm]))
