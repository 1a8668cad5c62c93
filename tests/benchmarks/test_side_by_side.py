"""The comparison with other libraries: both sides do the same work, and the ratios are stated correctly."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import onnx
import pytest

from benchmarks.side_by_side import chart, results
from benchmarks.side_by_side.__main__ import MODEL, PAGE
from benchmarks.side_by_side.measure import PageMeasurement, matching_boxes
from benchmarks.side_by_side.report import render_text
from benchmarks.side_by_side.results import BUNDLE, Results
from benchmarks.side_by_side.steady import MODELS, SteadyRow, render
from benchmarks.side_by_side.steady import PAGE as STEADY_PAGE
from benchmarks.side_by_side.steady import read as read_steady
from benchmarks.side_by_side.table import table_rows
from benchmarks.side_by_side.truncate import truncate
from webbuild.bench.formatting import DASH, format_megabytes

README = PAGE.parents[1] / "README.md"
SVG = "{http://www.w3.org/2000/svg}"
BOX = [10.0, 10.0, 50.0, 90.0, 0.9]


def side(**changes: object) -> PageMeasurement:
    made: dict[str, object] = {
        "adapter": "google swiftshader",
        "bytes": 8_000_000,
        "session": 400.0,
        "first_result": 1000.0,
        "times": [*[20.0] * 18, 30.0, 40.0],
        "found": [[BOX], []],
    }
    return PageMeasurement(**{**made, **changes})  # type: ignore[arg-type]


def test_what_is_cut_off_is_the_suppression(tmp_path: Path) -> None:
    model = onnx.load(truncate(MODEL, tmp_path / "raw.onnx"))
    assert "NonMaxSuppression" not in {node.op_type for node in model.graph.node}
    (output,) = model.graph.output
    assert [dim.dim_value for dim in output.type.tensor_type.shape.dim] == [1, 56, 756]


def test_ratios_are_the_bundles_by_the_others() -> None:
    lines = table_rows("webgpu", side(bytes=4_000_000, times=[30.0]), side())
    assert lines[0] == "| WebGPU | bytes of a first visit | 0.50 | 4.0 MB | 8.0 MB |"
    assert lines[3] == "| WebGPU | a run, median | 1.50 | 30.0 ms | 20.0 ms |"
    assert lines[4] == f"| WebGPU | a run, 19 of 20 | {DASH} | {DASH} | 30.0 ms |"


def test_what_19_of_20_runs_take_is_not_told_of_fewer() -> None:
    few = side(times=[20.0] * 19)
    assert few.p95 is None
    assert len(table_rows("webgpu", few, few)) == 4


def test_a_side_that_gave_nothing_has_dashes() -> None:
    assert table_rows("webgpu", side(), None)[3] == f"| WebGPU | a run, median | {DASH} | 20.0 ms | {DASH} |"
    assert table_rows("webgpu", None, side())[0] == f"| WebGPU | bytes of a first visit | {DASH} | {DASH} | 8.0 MB |"
    assert table_rows("webgpu", None, None) == []


def test_people_are_the_same_where_their_boxes_are() -> None:
    moved = [12.0, 10.0, 52.0, 90.0, 0.9]
    far = [30.0, 10.0, 70.0, 90.0, 0.9]
    assert matching_boxes(side(), side(found=[[moved], []])) == (1, 1)
    assert matching_boxes(side(), side(found=[[far], []])) == (0, 1)
    assert matching_boxes(side(), side(found=[[BOX, far], [BOX]])) == (1, 3)


def stored(**changes: object) -> Results:
    ours, theirs = side(), side(times=[10.0], found=[[[12.0, 10.0, 52.0, 90.0, 0.9]], []])
    found = results.summarize("webgpu", {BUNDLE: ours, "another": theirs}, {"a third": "it has no adapter"})
    made = {"browser": "156", "adapter": "google swiftshader", "machine": "Linux", "packages": {"another": "1.0"}}
    return Results(**{**made, "visits": 2, "pictures": 2, "backends": [found], **changes})  # type: ignore[arg-type]


def test_the_page_says_the_adapter_and_every_side() -> None:
    told = render_text(stored())
    assert "adapter: google swiftshader" in told
    assert "| | webbuild | another |" in told
    assert "| the same people as webbuild | \u2014 | 1 of 1 |".replace("\u2014", DASH) in told
    assert "a third did not run: `it has no adapter`" in told
    assert PAGE.is_file()


def test_what_is_stored_is_read_back(tmp_path: Path) -> None:
    results.write(stored(), tmp_path / "found.json")
    assert results.read(tmp_path / "found.json") == stored()


def test_the_longest_bar_is_the_largest_number() -> None:
    wasm = results.summarize("wasm", {BUNDLE: side(), "another": side(times=[10.0])}, {})
    drawn = chart.draw(stored(backends=[wasm, *stored().backends]))
    bars = [float(each.get("width", "0")) for each in ElementTree.fromstring(drawn).iter(f"{SVG}rect")]
    assert len(bars) == 6
    assert bars[4] == pytest.approx(2 * bars[5], rel=0.01)
    assert "prefers-color-scheme: dark" in drawn


def test_a_backend_measured_again_replaces_its_numbers_only(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    assert results.merge(stored(), file) == stored()
    results.write(stored(), file)
    wasm = results.summarize("wasm", {BUNDLE: side()}, {})
    merged = results.merge(stored(backends=[wasm], adapter=""), file)
    assert [each.backend for each in merged.backends] == ["webgpu", "wasm"]
    assert merged.adapter == "google swiftshader"
    assert results.merge(stored(), file) == stored()


def test_the_page_the_chart_and_the_readme_are_of_the_stored_numbers() -> None:
    found = results.read()
    assert f"<!-- measured -->\n{render_text(found)}<!-- /measured -->" in PAGE.read_text("utf-8")
    assert chart.FILE.read_text("utf-8") == chart.draw(found)
    (row,) = (line for line in README.read_text("utf-8").splitlines() if "First visit of the small pose model" in line)
    sides = [found.side("webgpu", name) for name in ("onnxruntime-web", "transformers.js", BUNDLE)]
    assert row.endswith(f"| {' | '.join(format_megabytes(side.bytes) for side in sides if side)} |")


def test_a_steady_row_says_the_ratio_and_the_share_outside_of_the_engine() -> None:
    row = SteadyRow("WASM", "pose", 30, by_hand=20.0, bundle=18.0, ratio=0.9, outside=1.0, engine=20.0, own_graph=False)
    assert render([row]).splitlines()[-1] == "| WASM | pose | 20.0 ms | 18.0 ms | 0.90 | 20.0 ms | 1.0 ms | 5% |"


def test_the_steady_rows_of_the_page_are_those_stored() -> None:
    rows = read_steady()
    assert {row.model for row in rows} <= MODELS.keys()
    page = STEADY_PAGE.read_text("utf-8")
    assert "<!-- steady -->" in page
    assert rows == [] or render(rows) in page
