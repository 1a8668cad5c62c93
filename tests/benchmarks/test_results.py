"""The stored results of the benchmarks: they are readable, and the pages in docs/ are written from them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from benchmarks import fp16, node_test_report, soak
from benchmarks.fp16.report import Fp16Measurement, render_page
from benchmarks.gpu import chromium, render
from benchmarks.prediction.measured import FILE, read_measured
from benchmarks.random_models import report as random_operators
from benchmarks.side_by_side import report as side_by_side
from benchmarks.side_by_side import results, steady
from benchmarks.traps import report as traps
from webbuild.ortweb.packaged_assets import engine_version

DOCS = Path(__file__).parents[2] / "docs"
RESULTS = Path(fp16.__file__).parents[1] / "results"
SIDES = ("before", "after")


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def marked(name: str, mark: str = "measured") -> str:
    """Return the text between a page's markers."""
    return page(name).split(f"<!-- {mark} -->\n")[1].split(f"<!-- /{mark} -->")[0]


def test_random_operators() -> None:
    assert random_operators.render_page(random_operators.read()) == page("random-operators.md")


def test_traps() -> None:
    assert traps.render_page(traps.read(), engine_version()) == page("traps.md")


def test_float16() -> None:
    found = msgspec.json.decode((RESULTS / "fp16.json").read_bytes(), type=Fp16Measurement)
    assert render_page(found) == page("fp16.md")


def test_node_tests() -> None:
    """The page has whole messages, the data their beginnings, so only the counts are compared."""
    rows = msgspec.json.decode(node_test_report.DATA.read_bytes(), type=dict[str, dict[str, node_test_report.Result]])
    before, after = (node_test_report.summary({name: row[side] for name, row in rows.items()}) for side in SIDES)
    table = page("node-tests.md").split("\n\n")[2].splitlines()[2:]
    assert [f"| {name} | {count} | {after[name]} |" for name, count in before.items()] == table


def test_soak() -> None:
    assert soak.table(soak.read()) == marked("soak.md", "soak")


def test_predictions() -> None:
    assert len(read_measured(FILE)) > 1000


@pytest.mark.parametrize(
    ("text", "name", "mark"),
    [
        (side_by_side.render_text(results.read()), "side-by-side.md", "measured"),
        (steady.render(steady.read()), "side-by-side.md", "steady"),
        (render.render_text(json.loads(render.RESULTS.read_text("utf-8"))), "gpu.md", "measured"),
        (
            chromium.render(msgspec.json.decode(chromium.RESULTS.read_bytes(), type=list[chromium.ChromiumRow])),
            "gpu.md",
            "chromium",
        ),
    ],
)
def test_tables(text: str, name: str, mark: str) -> None:
    assert text == marked(name, mark)
