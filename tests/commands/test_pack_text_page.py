"""`pack detector.onnx recognizer.onnx`: the second model reads the lines that the first one finds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import onnx
import pytest
from msgspec import UNSET
from PIL import Image

from tests.commands.program import webbuild
from tests.models import save
from tests.text_detectors import bars, detector
from tests.text_models import (
    CHARACTERS,
    dictionary,
    doctr_recognizer,
    line_detector,
    orientation,
    recognizer,
    write_line,
    write_page,
)
from webbuild.compile.stages import prove_pipeline
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.manifest.inputs.crop import HalfTurn, LineSplit
from webbuild.manifest.manifest import CropClassesTask, CropInput, DetectTask, Manifest, TextBoxesTask, TextTask, decode
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors

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
    reader = save(recognizer(batch="N", **how), folder / "rec.onnx")  # type: ignore[arg-type]
    return [line_detector(folder / "det.onnx", BOXES), reader, "--labels", dictionary(folder / "dict.txt")]


def test_the_lines_that_a_detector_finds_are_read(tmp_path: Path) -> None:
    first, second = packed(tmp_path, *models(tmp_path)).every_stage
    assert isinstance(first.task, DetectTask)
    assert isinstance(second.task, TextTask)
    assert second.task.blank == 0
    crops = [spec for each in second.every_variant for spec in each.inputs]
    shapes = [[n, 3, 48, width] for width in (320, 480, 640, 960, 1280) for n in (1, 4)]
    assert [(type(each), each.shape) for each in crops] == [(CropInput, each) for each in shapes]
    assert isinstance(crops[0], CropInput)
    assert (crops[0].aspect, crops[0].pad, crops[0].color) == ("line", 127.5, "bgr")
    assert "Total 48.50\npage two\nend" in texts(tmp_path)


def test_a_recognizer_of_grey_lines_reads_crops(tmp_path: Path) -> None:
    detector_path, reader, *labels = models(tmp_path, width="320")
    proto = onnx.load(reader)
    proto.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 1
    proto.graph.node[0].input[0] = "colours"
    proto.graph.node.insert(0, onnx.helper.make_node("Concat", ["x"] * 3, ["colours"], axis=1))
    _, second = packed(tmp_path, detector_path, save(proto, Path(reader)), *labels).every_stage
    assert isinstance(second.task, TextTask)
    crops = [spec for each in second.every_variant for spec in each.inputs]
    assert isinstance(crops[0], CropInput)
    assert (crops[0].aspect, crops[0].pad, crops[0].color) == ("line", 127.5, "gray")
    assert [each.shape for each in crops] == [[n, 1, 48, 320] for n in (1, 4)]


def texts(folder: Path) -> set[str]:
    """The texts that the proof compared."""
    comparisons = json.loads((folder / "out" / "report.json").read_text("utf-8"))["comparisons"]
    return {each["want"] for each in comparisons if each["subject"]["quantity"] == "character error rate"}


LONG = "a line of 30 characters width."
WIDE = (640, 192)


def long_lines(folder: Path, bias: float | None = None) -> list[str | Path]:
    """Write models for a page with a line of 480 pixels and a short one; `bias` is the blank's bias."""
    detector, reader, *labels = models(folder)
    write_page(folder / "samples" / "page.png", {LONG: (0, 0), "end": (8, 128)}, WIDE)
    line_detector(folder / "det.onnx", [(0, 0, 480, 48), BOXES[2]], WIDE)
    model = onnx.load(reader)
    (values,) = (each for each in model.graph.initializer if each.name == "bias")
    if bias is not None:
        numbers = onnx.numpy_helper.to_array(values).copy()
        numbers[0] = bias
        values.CopyFrom(onnx.numpy_helper.from_array(numbers, "bias"))
    onnx.save(model, reader)
    return [detector, reader, *labels]


def test_each_line_runs_at_the_narrowest_width_that_holds_it(tmp_path: Path) -> None:
    given = long_lines(tmp_path)
    _, reader = packed(tmp_path, *given, "--widths", "64,480").every_stage
    assert [each.inputs[0].shape[3] for each in reader.every_variant] == [64, 64, 480, 480]
    assert texts(tmp_path) - {""} == {LONG, "end", f"{LONG}\nend"}
    packed(tmp_path, *given, "--widths", "64", "--force")
    assert LONG not in "\n".join(texts(tmp_path))


def test_a_width_that_is_given_by_name_is_the_only_one(tmp_path: Path) -> None:
    _, reader = packed(tmp_path, *models(tmp_path), "--dim", "width=400", "--batch", "1,2").every_stage
    assert [each.inputs[0].shape for each in reader.every_variant] == [[1, 3, 48, 400], [2, 3, 48, 400]]


def test_the_graph_of_each_width_is_part_of_the_proof_of_the_whole(tmp_path: Path) -> None:
    """A difference in the wider graph alone is detected."""
    with_thresholds = prove_pipeline._with_thresholds

    def other(stage: ModelStage, runner: NativeRunner) -> Callable[[Tensors], Tensors]:
        run = with_thresholds(stage, runner)

        def turned(feeds: Tensors) -> Tensors:
            wide = any(each.shape[-1] == 480 for each in feeds.values())
            return {name: scores[..., ::-1] if wide else scores for name, scores in run(feeds).items()}

        return turned if stage.name == "rec" else run

    with patch.object(prove_pipeline, "_with_thresholds", other):
        given = (*long_lines(tmp_path), "--widths", "64,480", "--batch", "1")
        done = webbuild("pack", *given, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (1, "output-mismatch"), done.stderr


@pytest.mark.parametrize(("bias", "warned"), [(None, False), (-100.0, True)], ids=["grey is blank", "grey is text"])
def test_padding_that_changes_a_line_is_a_warning(tmp_path: Path, bias: float | None, warned: bool) -> None:
    given = (*long_lines(tmp_path, bias), "--widths", "320,640")
    done = webbuild("pack", *given, "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    said = " ".join(done.stderr.split())
    assert ("1 of 1 lines wider than 320 pixels are read differently" in said) == warned
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert any("give --widths with smaller steps" in each for each in report["warnings"]) == warned


@pytest.mark.parametrize(
    ("width", "given", "error"),
    [("width", "320,x", "invalid-widths"), ("width", "64,64", "invalid-widths"), ("320", "320", "conflicting-options")],
)
def test_widths_that_are_none_are_refused(tmp_path: Path, width: str, given: str, error: str) -> None:
    done = webbuild("pack", *models(tmp_path, width=width), "--widths", given, "-o", tmp_path / "out")
    assert (done.code, done.error) == (2, error)


def test_doctrs_reader_reads_a_wide_word_in_parts(tmp_path: Path) -> None:
    """A word nine times as wide as high is read in two overlapping parts; one six times as wide is shrunk."""
    words = {"abcdefghijkl": (0, 0, 288, 32), "mnopqrst": (0, 64, 192, 96)}
    page = Image.new("RGB", (320, 192))
    for text, (left, top, right, bottom) in words.items():
        line = Image.open(write_line(tmp_path / "line.png", text, height=bottom - top, column=12))
        assert line.size == (right - left, bottom - top)
        page.paste(line, (left, top))
    (tmp_path / "samples").mkdir()
    page.save(tmp_path / "samples" / "page.png")
    finder = line_detector(tmp_path / "det.onnx", list(words.values()))
    (tmp_path / "vocab.txt").write_text(CHARACTERS, "utf-8")
    reader = save(doctr_recognizer(), tmp_path / "crnn.onnx")
    _, second = packed(tmp_path, finder, reader, "--labels", tmp_path / "vocab.txt").every_stage
    (crop, *_) = second.inputs
    assert isinstance(crop, CropInput)
    assert (crop.color, crop.pad, crop.split) == ("rgb", 0, LineSplit(above=8, part=6, overlap=0.5))
    assert "abcdefghijkl\nmnopqrst" in texts(tmp_path)


def test_a_text_detector_comes_first(tmp_path: Path) -> None:
    given = models(tmp_path)
    bars(tmp_path / "samples" / "page.png", (192, 128))
    first, second = packed(tmp_path, save(detector(), tmp_path / "det.onnx"), *given[1:]).every_stage
    assert isinstance(first.task, TextBoxesTask)
    assert isinstance(second.task, TextTask)
    assert "Finds the lines of text in a picture" in (tmp_path / "out" / "index.html").read_text("utf-8")


@pytest.mark.parametrize("named", [True, False])
def test_a_recognizer_whose_columns_come_first_reads_one_crop_in_a_run(tmp_path: Path, named: bool) -> None:
    finder, reader, *labels = models(tmp_path)
    model = recognizer(batch="N", layout="tnc")
    for dim in () if named else model.graph.output[0].type.tensor_type.shape.dim[:2]:
        dim.Clear()
    save(model, tmp_path / "rec.onnx")
    _, second = packed(tmp_path, finder, reader, *labels, "--widths", "320,480").every_stage
    assert [each.inputs[0].shape[0] for each in second.every_variant] == [1, 1]
    assert "Total 48.50\npage two\nend" in texts(tmp_path)


def test_a_line_on_its_head_is_turned_where_a_classifier_says_so(tmp_path: Path) -> None:
    finder, reader, *labels = models(tmp_path)
    write_page(tmp_path / "samples" / "page.png", LINES, turned="page two")
    packed(tmp_path, finder, reader, *labels)
    assert "Total 48.50\npage two\nend" not in texts(tmp_path)
    classifier = orientation(tmp_path / "cls.onnx")
    _, second, third = packed(tmp_path, finder, classifier, reader, *labels, "--force").every_stage
    assert second.task == CropClassesTask(output="y", classes=["0", "180"], logits=False)
    (looked,), (read,) = second.inputs, third.inputs
    assert isinstance(looked, CropInput)
    assert isinstance(read, CropInput)
    assert (looked.shape, looked.aspect, looked.half_turn) == ([1, 3, 48, 192], "line", UNSET)
    assert read.half_turn == HalfTurn(label="180", score=0.9)
    assert "Total 48.50\npage two\nend" in texts(tmp_path)
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    turned = [each for each in report["comparisons"] if each["subject"]["quantity"] == "turned lines"]
    assert {(each["verdict"], each["signal"]) for each in turned} == {("OK", 1.0)}
