"""Masks returned by a page, and when a verification has compared any."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import BROWSER
from webbuild.compare.vacuity import mark_vacuous
from webbuild.manifest.manifest import SegmentTask
from webbuild.tasks.decoding.detection import Box, Segment
from webbuild.tasks.decoding.mask import Mask
from webbuild.tasks.metrics.compare_detections import compare_detections
from webbuild.tasks.metrics.detection_arrays import from_detections, from_rows
from webbuild.tasks.registry import kind_of
from webbuild.verify.page_rpc import PageError
from webbuild.verify.page_runner import with_arrays

TASK = SegmentTask(output="rows", protos="protos", rows=4, classes=["cup"], mask_coefficients=1)


def segment(x: float, cells: bytes, columns: int = 4, rows: int = 4) -> Segment:
    mask = Mask(x, 0, columns, rows, columns, rows, cells)
    return Segment(Box(x, 0, x + 4, 4), 0.5, 0, "cup", mask=mask)


HALF, FULL, NONE = b"\x01" * 8 + b"\x00" * 8, b"\x01" * 16, b"\x00" * 16


def judged(want: list[Segment], got: list[Segment]) -> dict[str, Comparison]:
    subject = ComparedOutput("webgpu", "table", "decoded", "")
    sides = from_detections(TASK, want), from_detections(TASK, got)
    return {c.subject.name: c for c in compare_detections(subject, *sides, {}, BROWSER)}


def test_equal_masks_are_the_same() -> None:
    verdicts = judged([segment(0, HALF), segment(10, FULL)], [segment(10, FULL), segment(0, HALF)])
    assert {name: each.verdict for name, each in verdicts.items()} == dict.fromkeys(
        ("detections", "score", "box", "mask"), "OK"
    )
    assert verdicts["mask"].signal == 2


def test_another_mask_in_the_same_box_differs() -> None:
    verdicts = judged([segment(0, HALF)], [segment(0, FULL)])
    assert {name for name, each in verdicts.items() if each.verdict == "DIFFERS"} == {"mask"}
    assert verdicts["mask"].max_abs == pytest.approx(7 / 16)


def test_masks_that_cover_nothing_on_any_sample_prove_nothing() -> None:
    verdicts = judged([segment(0, NONE)], [segment(0, NONE)])
    assert {name for c in mark_vacuous(verdicts.values()) if c.verdict == "VACUOUS" for name in [c.subject.name]} == {
        "mask"
    }


def test_rows_alone_say_nothing_of_masks() -> None:
    rows = from_rows(TASK, np.array([[0, 0, 4, 4, 0.5, 0, 1]]))
    subject = ComparedOutput("webgpu", "table", "raw", "rows")
    names = [c.subject.name for c in compare_detections(subject, rows, rows, {}, BROWSER)]
    assert names == ["detections", "score", "box"]


def result(data: list[int]) -> dict[str, Any]:
    """A result of the runtime as a page returns it, with one mask of 2 x 2 cells."""
    bare = msgspec.to_builtins(segment(0, b"", 2, 2))
    taken = {"$array": "Uint8Array", "length": len(data)}
    return {"segments": [{**bare, "mask": {**bare["mask"], "data": taken}}]}


def test_every_array_gets_its_own_bytes() -> None:
    depth, numbers = np.array([[1.5, 2.5]], np.float32), np.array([7, -8], np.int64)
    taken = {
        "depth": {"$array": "Float32Array", "length": 2},
        "more": [{"own": {"$array": "BigInt64Array", "length": 2}}, None, "text"],
        "none": {"$array": "Uint16Array", "length": 0},
    }
    filled = with_arrays(taken, depth.tobytes() + numbers.tobytes())
    assert filled["depth"].tolist() == [1.5, 2.5]
    assert filled["more"][0]["own"].tolist() == [7, -8]
    assert (filled["more"][1:], len(filled["none"])) == ([None, "text"], 0)


@pytest.mark.parametrize("content", [b"\1\0\1", b"\1\0\1\1\0"], ids=["few", "many"])
def test_bytes_that_do_not_fit_are_a_finding(content: bytes) -> None:
    with pytest.raises(PageError, match="bytes"):
        with_arrays(result([1, 0, 1, 1]), content)


def test_masks_of_a_result_are_read() -> None:
    (read,) = kind_of(TASK).read_result(with_arrays(result([1, 0, 1, 1]), b"\1\0\1\1"))
    assert read.mask.data == b"\1\0\1\1"
    assert read.mask.grid.shape == (2, 2)


@pytest.mark.parametrize("cells", [[1, 0, 1], [1, 0, 2, 0]], ids=["few", "other numbers"])
def test_cells_that_do_not_fit_are_refused(cells: list[int]) -> None:
    with pytest.raises(ValueError, match="2 x 2"):
        kind_of(TASK).read_result(with_arrays(result(cells), bytes(cells)))


def test_a_report_writes_masks_as_text_and_reads_them_back() -> None:
    made = segment(3, HALF)
    assert msgspec.json.decode(msgspec.json.encode(made), type=Segment) == made
