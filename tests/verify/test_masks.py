"""Masks as they come back from a page, and when a verification has compared any."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from webbuild.compare.arrays import ComparedOutput, Comparison
from webbuild.compare.tolerance import BROWSER
from webbuild.compare.vacuity import mark_vacuous
from webbuild.manifest.manifest import SegmentTask
from webbuild.tasks.compare.detection_arrays import from_detections, from_rows
from webbuild.tasks.compare.detections import compare_detections
from webbuild.tasks.detection import Box, Segment
from webbuild.tasks.mask import Mask
from webbuild.verify.page_rpc import PageError
from webbuild.verify.page_runner import with_mask_data

TASK = SegmentTask(output="rows", protos="protos", rows=4, classes=["cup"], masks=1)


def segment(x: float, cells: bytes, columns: int = 4, rows: int = 4) -> Segment:
    mask = Mask(x, 0, columns, rows, columns, rows, cells)
    return Segment(Box(x, 0, x + 4, 4), 0.5, 0, "cup", mask=mask)


HALF, FULL, NONE = b"\x01" * 8 + b"\x00" * 8, b"\x01" * 16, b"\x00" * 16


def judged(want: list[Segment], got: list[Segment]) -> dict[str, Comparison]:
    subject = ComparedOutput("webgpu", "table", "decoded", "")
    sides = from_detections(TASK, want), from_detections(TASK, got)
    return {c.subject.output: c for c in compare_detections(subject, *sides, {}, BROWSER)}


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
    assert {name for c in mark_vacuous(verdicts.values()) if c.verdict == "VACUOUS" for name in [c.subject.output]} == {
        "mask"
    }


def test_rows_alone_say_nothing_of_masks() -> None:
    rows = from_rows(TASK, np.array([[0, 0, 4, 4, 0.5, 0, 1]]))
    subject = ComparedOutput("webgpu", "table", "raw", "rows")
    names = [c.subject.output for c in compare_detections(subject, rows, rows, {}, BROWSER)]
    assert names == ["detections", "score", "box"]


def test_every_mask_gets_its_own_cells() -> None:
    bare = [segment(0, b"", 2, 1), segment(1, b"", 0, 3), segment(2, b"", 1, 2)]
    filled = with_mask_data(bare, np.array([1, 0, 1, 1], np.uint8))
    assert [each.mask.data for each in filled] == [b"\x01\x00", b"", b"\x01\x01"]
    assert filled[2].mask.grid.shape == (2, 1)
    assert with_mask_data([], np.zeros(0, np.uint8)) == ()


@pytest.mark.parametrize("cells", [[1, 0, 1], [1, 0, 1, 1, 0], [1, 0, 2, 0]], ids=["few", "many", "other numbers"])
def test_cells_that_do_not_fit_are_a_finding(cells: list[int]) -> None:
    with pytest.raises(PageError, match="do not fit"):
        with_mask_data([segment(0, b"", 2, 2)], np.array(cells, np.uint8))


def test_a_report_writes_masks_as_text_and_reads_them_back() -> None:
    made = segment(3, HALF)
    assert msgspec.json.decode(msgspec.json.encode(made), type=Segment) == made
