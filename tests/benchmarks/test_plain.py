"""The comparison with a page by hand: the same work on both sides, and ratios that say what they say."""

from __future__ import annotations

from pathlib import Path

import onnx

from benchmarks.plain_ortweb.__main__ import MODEL, PAGE, text
from benchmarks.plain_ortweb.measure import PageMeasurement, matching_boxes
from benchmarks.plain_ortweb.table import table_rows
from benchmarks.plain_ortweb.truncate import truncate
from webbuild.bench.formatting import DASH

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


def test_the_adapter_stands_beside_the_times() -> None:
    told = text({"webgpu": (side(), side()), "wasm": (side(adapter=""), side())}, "156", 30)
    assert told.splitlines()[0] == "Chromium 156, adapter: google swiftshader; 30 runs."
    assert told.count("| WASM |") == 5
    assert PAGE.is_file()
