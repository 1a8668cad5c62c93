"""`pack detector.onnx recogniser.onnx`: the second model reads the lines that the first one finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.program import webbuild
from tests.models import save
from tests.text_detectors import bars, detector
from tests.text_models import dictionary, line_detector, recogniser, write_page
from webbuild.manifest.manifest import CropInput, DetectTask, Manifest, TextBoxesTask, TextTask, decode

pytestmark = pytest.mark.usefixtures("stand_in")

LINES = {"Total 48.50": (0, 0), "page two": (32, 64), "end": (8, 128)}
BOXES = [(0, 0, 176, 48), (32, 64, 160, 112), (8, 128, 56, 176)]


def packed(folder: Path, *options: str | Path) -> Manifest:
    done = webbuild("pack", *options, "-o", folder / "out", "--no-verify")
    assert done.code == 0, done.stderr
    return decode((folder / "out" / "manifest.json").read_bytes())


def models(folder: Path, **how: str) -> list[str | Path]:
    (folder / "samples").mkdir()
    write_page(folder / "samples" / "page.png", LINES)
    reader = save(recogniser(batch="N", **how), folder / "rec.onnx")  # type: ignore[arg-type]
    return [line_detector(folder / "det.onnx", BOXES), reader, "--labels", dictionary(folder / "dict.txt")]


def test_the_lines_that_a_detector_finds_are_read(tmp_path: Path) -> None:
    first, second = packed(tmp_path, *models(tmp_path)).every_stage
    assert isinstance(first.task, DetectTask)
    assert isinstance(second.task, TextTask)
    assert second.task.blank == 0
    crops = [spec for each in second.every_variant for spec in each.inputs]
    assert [(type(each), each.shape) for each in crops] == [(CropInput, [n, 3, 48, 320]) for n in (1, 4)]
    assert isinstance(crops[0], CropInput)
    assert (crops[0].aspect, crops[0].pad, crops[0].color) == ("line", 127.5, "bgr")
    comparisons = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["comparisons"]
    read = {each["want"] for each in comparisons if each["subject"]["quantity"] == "character error rate"}
    assert "Total 48.50\npage two\nend" in read


def test_a_text_detector_comes_first(tmp_path: Path) -> None:
    given = models(tmp_path)
    bars(tmp_path / "samples" / "page.png", (192, 128))
    first, second = packed(tmp_path, save(detector(), tmp_path / "det.onnx"), *given[1:]).every_stage
    assert isinstance(first.task, TextBoxesTask)
    assert isinstance(second.task, TextTask)
    assert "Finds the lines of text in a picture" in (tmp_path / "out" / "index.html").read_text("utf-8")


def test_a_recogniser_whose_columns_come_first_reads_no_crops(tmp_path: Path) -> None:
    done = webbuild("pack", *models(tmp_path, layout="tnc"), "-o", tmp_path / "out", "--no-verify")
    assert done.error == "stages-not-joined"
