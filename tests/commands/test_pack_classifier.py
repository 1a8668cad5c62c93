"""A classifier packs, its classes are compared, and its report names them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.colours import COLOURS, colours, paint
from tests.commands.program import pack, refused
from tests.compared import of_pictures, verdicts
from tests.models import HEADER, parsed, save
from webbuild.manifest.manifest import ClassifyTask, ImageInput

pytestmark = pytest.mark.usefixtures("stand_in")


def test_a_classifier_packs_and_the_red_picture_is_red(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    manifest = pack(save(colours(), tmp_path / "colours.onnx"))
    assert manifest.task == ClassifyTask(output="scores", classes=["red", "green", "blue"], logits=False)
    assert [sample.title for sample in manifest.samples] == ["Blue", "Green", "Red"]
    out = tmp_path / "out"
    comparisons = json.loads((out / "report.json").read_text("utf-8"))["comparisons"]
    assert verdicts(of_pictures(comparisons)) == {"OK"}
    page = (out / "report.html").read_text("utf-8")
    best = re.findall(r'<ol class="classes">\s*<li><span>([^<]*)</span>', page)
    assert best == ["blue", "green", "red"]
    assert manifest.golden is not None
    scores = np.frombuffer((out / manifest.golden.outputs["scores"]).read_bytes(), np.float32)
    assert manifest.golden.sample == "blue.png"
    assert scores.argmax() == 2
    assert 'Label = "red" | "green" | "blue";' in (out / f"{manifest.name}.d.ts").read_text("utf-8")


def test_a_classifier_that_says_nothing_of_any_sample_is_not_proven(tmp_path: Path) -> None:
    model = parsed(COLOURS.replace("8, 0, 0, 0, 8, 0, 0, 0, 8", "0, 0, 0, 0, 0, 0, 0, 0, 0"))
    onnx.helper.set_model_props(model, {"task": "classify", "names": "['red', 'green', 'blue']"})
    paint(tmp_path / "samples")
    assert refused(save(model, tmp_path / "colours.onnx")) == "vacuous-comparison"


def test_a_classifier_of_bytes_packs_where_the_task_is_given(tmp_path: Path) -> None:
    """tf2onnx's input of a SavedModel or TFLite file: bytes, channels last."""
    text = f"""{HEADER} bytes (uint8[1,32,32,3] x) => (float[1,3] y) {{
      f = Cast <to = 1> (x) t = Transpose <perm = [0, 3, 1, 2]> (f) p = GlobalAveragePool (t) v = Flatten (p)
      y = Softmax (v)
    }}"""
    paint(tmp_path / "samples")
    manifest = pack(save(parsed(text), tmp_path / "bytes.onnx"), "--task", "classify")
    (spec,) = manifest.inputs
    assert isinstance(spec, ImageInput)
    assert (spec.dtype, spec.layout, spec.scale) == ("uint8", "nhwc", 1.0)


def test_a_classifier_of_any_width_may_take_lines(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    text = COLOURS.replace("float[1,3,8,8]", "float[1,3,8,width]")
    model = save(parsed(text), tmp_path / "lines.onnx")
    manifest = pack(model, "--task", "classify", "--resize", "line", "--scale", "1/255")
    (spec,) = manifest.inputs
    assert isinstance(spec, ImageInput)
    assert spec.letterbox.mode == "line"
