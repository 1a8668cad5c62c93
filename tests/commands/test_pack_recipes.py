"""The default preprocessing of a known task where the model does not state it, and the warnings about its outputs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.colours import paint
from tests.commands.program import pack, webbuild
from tests.models import HEADER, parsed, save
from webbuild.compile.preprocessing_trials import picture_dependence
from webbuild.manifest.manifest import DepthTask, ImageInput

pytestmark = pytest.mark.usefixtures("stand_in")


def depth_model(scale: float) -> str:
    """Return a ramp plus the image: the larger the pixel values, the more it adds."""
    weights = ", ".join(str(scale) for _ in range(3))
    ramp = ", ".join(str(float(row)) for row in range(16))
    return f"""{HEADER} ramp (float[1,3,16,24] picture) => (float[1,1,16,24] map)
    <float[1,3,1,1] w = {{{weights}}}, float[1,1,16,1] ramp = {{{ramp}}}>
    {{ a = Conv (picture, w) map = Add (a, ramp) }}"""


def test_a_range_on_which_depth_clearly_depends_more_is_taken(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    manifest = pack(save(parsed(depth_model(0.05)), tmp_path / "m.onnx"), "--task", "depth")
    assert isinstance(manifest.task, DepthTask)
    (image,) = manifest.inputs
    assert isinstance(image, ImageInput)
    assert (image.scale, image.mean, image.std) == (1, [0] * 3, [1] * 3)
    (said,) = [each for each in manifest.assumptions if "pixel values 0..255 as they are" in each]
    assert "likely: the answers depend" in said
    assert manifest.warnings == []


def test_what_the_user_says_is_not_tried(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    manifest = pack(save(parsed(depth_model(0.05)), tmp_path / "m.onnx"), "--task", "depth", "--scale", "1/255")
    (image,) = manifest.inputs
    assert isinstance(image, ImageInput)
    assert image.scale == 1 / 255


def test_depth_that_does_not_depend_on_the_picture_is_a_warning_everywhere(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    model = save(parsed(depth_model(1e-6)), tmp_path / "m.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", "--task", "depth")
    assert "warning: depth hardly depends on the picture" in done.stderr
    (said,) = json.loads((tmp_path / "out" / "manifest.json").read_bytes())["warnings"]
    assert "correlate by 1.00" in said
    assert "Doubtful answers" in (tmp_path / "out" / "report.html").read_text("utf-8")


CLASSES = f"""{HEADER} classes (float[1,3,8,8] picture) => (float[1,64] scores)
<float[3,64] w = {{WEIGHTS}}> {{ a = GlobalAveragePool (picture) b = Flatten (a) scores = MatMul (b, w) }}"""


@pytest.mark.parametrize(("weight", "doubtful"), [(0.001, True), (50.0, False)])
def test_scores_near_chance_are_a_warning(tmp_path: Path, weight: float, doubtful: bool) -> None:
    paint(tmp_path / "samples")
    weights = ", ".join(str(weight * (index % 7)) for index in range(3 * 64))
    model = parsed(CLASSES.replace("WEIGHTS", weights))
    manifest = pack(save(model, tmp_path / "m.onnx"), "--task", "classify")
    assert bool(manifest.warnings) is doubtful
    assert all("near chance on every photograph tried" in each for each in manifest.warnings)


def test_a_requested_classifier_takes_the_values_that_its_graph_normalizes(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    text = f"""{HEADER} classes (float[1,3,32,32] picture) => (float[1,3] scores)
    <float[1,3,1,1] mean = {{103.53, 116.28, 123.675}}, float[1,3,1,1] std = {{57.375, 57.12, 58.395}}> {{
      centred = Sub (picture, mean) x = Div (centred, std) a = GlobalAveragePool (x) scores = Flatten (a) }}"""
    manifest = pack(save(parsed(text), tmp_path / "m.onnx"), "--task", "classify")
    (image,) = manifest.inputs
    assert isinstance(image, ImageInput)
    assert (image.color, image.scale, image.mean, image.letterbox.mode) == ("bgr", 1, [0] * 3, "crop")


def test_maps_of_classes_depend_on_the_picture_as_their_best_class_does() -> None:
    maps = np.zeros((1, 5, 16, 16), np.float32)
    maps[0, 2] = 1
    other = maps.copy()
    other[0, 4, :4] = 9
    assert picture_dependence({"maps": maps}, {"maps": other}) == 0.25
    assert picture_dependence({"maps": maps.transpose(0, 2, 3, 1)}, {"maps": other.transpose(0, 2, 3, 1)}) == 0.25


def test_landmarks_stay_in_their_picture(tmp_path: Path) -> None:
    """With pixel values of 0..1 the coordinates stay in 0..1, so no other range is chosen."""
    paint(tmp_path / "samples")
    weights = ", ".join(str(0.002 * (index % 7 - 3)) for index in range(3 * 20))
    middle = ", ".join(str(0.4 + 0.01 * index) for index in range(20))
    text = f"""{HEADER} points (float[1,3,32,32] picture) => (float[1,20] points)
    <float[3,20] w = {{{weights}}}, float[20] middle = {{{middle}}}>
    {{ a = GlobalAveragePool (picture) b = Flatten (a) c = MatMul (b, w) points = Add (c, middle) }}"""
    manifest = pack(save(parsed(text), tmp_path / "m.onnx"))
    (image,) = manifest.inputs
    assert isinstance(image, ImageInput)
    assert image.scale < 1, "with 0..255 the answers depend more on the picture, and leave it"
