"""A text recognizer packs, its decoded texts are compared, and a dictionary of the wrong size is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import numpy as np
import onnx
import pytest

from tests.commands.program import pack, refused, webbuild
from tests.models import HEADER, parsed, save
from tests.text_models import CHARACTERS, dictionary, recognizer, write_line
from webbuild.manifest.manifest import ImageInput, TextLineTask
from webbuild.model.hub_files import read_hub_files

pytestmark = pytest.mark.usefixtures("stand_in")


def texts(folder: Path) -> set[str]:
    """The texts that the proof compared."""
    comparisons = json.loads((folder / "out" / "report.json").read_text("utf-8"))["comparisons"]
    rates = [each for each in comparisons if each["subject"]["quantity"] == "character error rate"]
    assert {each["verdict"] for each in rates} <= {"OK", "VACUOUS"}
    return {each["want"] for each in rates}


@pytest.mark.parametrize(("layout", "softmax"), [("ntc", True), ("tnc", False)])
def test_a_recognizer_reads_its_samples(tmp_path: Path, layout: Literal["ntc", "tnc"], softmax: bool) -> None:
    write_line(tmp_path / "samples" / "a.png", "Hello webbuild 2026.")
    write_line(tmp_path / "samples" / "b.png", "aa b", height=24, column=4)
    labels = dictionary(tmp_path / "dict.txt")
    model = save(recognizer(layout=layout, softmax=softmax), tmp_path / "rec.onnx")
    manifest = pack(model, "--labels", str(labels))
    assert manifest.task == TextLineTask(
        output="y", layout=layout, characters="\n".join(["", *CHARACTERS, " "]), blank=0, logits=not softmax
    )
    assert texts(tmp_path) >= {"Hello webbuild 2026.", "aa b"}
    (image,) = manifest.inputs
    assert isinstance(image, ImageInput)
    assert image.shape == [1, 3, 48, 320]


def test_a_bundle_may_hold_several_widths(tmp_path: Path) -> None:
    write_line(tmp_path / "samples" / "a.png", "a line of 30 characters width.")
    model = save(recognizer(metadata={"character": "\n".join(CHARACTERS)}), tmp_path / "rec.onnx")
    manifest = pack(model, "--size", "320x48,480x48")
    assert [each.inputs[0].shape[3] for each in manifest.every_variant] == [320, 480]
    assert len({each.task for each in manifest.every_variant}) == 1
    assert "a line of 30 characters width." in texts(tmp_path)


def test_padding_that_changes_the_text_is_a_warning(tmp_path: Path) -> None:
    model = recognizer()
    (bias,) = (each for each in model.graph.initializer if each.name == "bias")
    values = onnx.numpy_helper.to_array(bias).copy()
    values[0] = -100.0  # never the blank: grey then means another class
    bias.CopyFrom(onnx.numpy_helper.from_array(values, "bias"))
    write_line(tmp_path / "samples" / "a.png", "aa b")
    save(model, tmp_path / "rec.onnx")
    labels = dictionary(tmp_path / "dict.txt")
    done = webbuild("pack", tmp_path / "rec.onnx", "--labels", labels, "--no-verify", "-o", tmp_path / "out")
    assert done.code == 0, done.stderr
    assert "sample a.png is read differently when padded" in done.stderr.replace("\n", " ")


def test_a_recognizer_without_a_dictionary_is_refused(tmp_path: Path) -> None:
    assert refused(save(recognizer(), tmp_path / "rec.onnx")) == "no-dictionary"


def test_a_dictionary_of_another_model_is_refused(tmp_path: Path) -> None:
    labels = dictionary(tmp_path / "dict.txt", CHARACTERS[:10])
    assert refused(save(recognizer(), tmp_path / "rec.onnx"), "--labels", str(labels)) == "wrong-labels"


def test_no_text_on_any_sample_proves_nothing(tmp_path: Path) -> None:
    from PIL import Image

    (tmp_path / "samples").mkdir()
    Image.new("RGB", (320, 48), (128, 128, 128)).save(tmp_path / "samples" / "grey.png")
    model = recognizer()
    (bias,) = (each for each in model.graph.initializer if each.name == "bias")
    values = onnx.numpy_helper.to_array(bias).copy()
    values[0] = 100.0  # always the blank
    bias.CopyFrom(onnx.numpy_helper.from_array(values, "bias"))
    labels = dictionary(tmp_path / "dict.txt")
    assert refused(save(model, tmp_path / "rec.onnx"), "--labels", str(labels)) == "vacuous-comparison"


def test_paddles_configuration_has_the_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "inference.yml"
    listed = "  - '!'\n  - y\n  - 0\n  - ''''\n"
    path.write_text(f"PostProcess:\n  name: CTCLabelDecode\n  character_dict:\n{listed}", "utf-8")
    assert read_hub_files(tmp_path / "rec.onnx").characters == ("!", "y", "0", "'")
    for broken in ("PostProcess: [", "PostProcess:\n  character_dict: 3\n", "- a\n", "a: &a [*a]\n", "\x00"):
        path.write_text(broken, "utf-8")
        assert read_hub_files(tmp_path / "rec.onnx").characters == ()


def test_an_unknown_recognizer_with_a_dictionary_reads_lines_as_its_graph_normalizes_them(tmp_path: Path) -> None:
    text = f"""{HEADER} crnn (float[1,1,60,160] picture) => (float[20,1,5] y)
    <float middle = {{127.5}}, int64[1] rows = {{2}}, float[5,1,60,8] w> {{
      centred = Sub (picture, middle) x = Div (centred, middle)
      scores = Conv <kernel_shape = [60, 8], strides = [60, 8]> (x, w) line = Squeeze (scores, rows)
      y = Transpose <perm = [2, 0, 1]> (line) }}"""
    model = parsed(text)
    weights = np.random.default_rng(1).normal(0, 0.1, (5, 1, 60, 8)).astype(np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    (tmp_path / "abcd.txt").write_text("a\nb\nc\nd\n")
    done = webbuild("pack", save(model, tmp_path / "crnn.onnx"), "--labels", tmp_path / "abcd.txt", "--dry-run")
    assert "note: task text-line: output 'y' has scores of 5 characters at 20 columns" in done.stderr
    assert "in grey, as lines in 160 x 60" in done.stderr
    assert "pixel values 0..255 as they are (sure: the graph itself normalizes" in done.stderr
