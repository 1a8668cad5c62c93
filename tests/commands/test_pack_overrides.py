"""Options for preprocessing and class names, from the command line to the bundle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.colours import colours, paint
from tests.commands.program import pack, refused, webbuild
from tests.models import HEADER, convolution, parsed, save
from webbuild.manifest.manifest import ClassifyTask, ImageInput, ImageSegmentationTask, TensorTask
from webbuild.preprocess.image import image_to_tensor, load_image

pytestmark = pytest.mark.usefixtures("stand_in")

LAST = f"""{HEADER} last (float[1,6,5,3] x) => (float[1,3] y)
<float[3,3] w = {{1, 0, 0, 0, 2, 0, 0, 0, 3}}>
{{
  first = Transpose <perm = [0, 3, 1, 2]> (x)
  mean = GlobalAveragePool (first)
  flat = Flatten (mean)
  y = MatMul (flat, w)
}}"""


def test_a_model_of_tensors_takes_pictures_where_the_user_says_how(tmp_path: Path) -> None:
    pictures = paint(tmp_path / "samples")
    manifest = pack(save(convolution(), tmp_path / "small.onnx"), "--mean", "0.5", "--std", "0.25,0.5,1")
    assert isinstance(manifest.task, TensorTask)
    (spec,) = manifest.inputs
    assert isinstance(spec, ImageInput)
    assert (spec.scale, spec.mean, spec.std) == (1 / 255, [0.5] * 3, [0.25, 0.5, 1.0])
    assert [sample.title for sample in manifest.samples] == ["Blue", "Green", "Red"]
    assert manifest.golden is not None
    fed = np.frombuffer((tmp_path / "out" / manifest.golden.inputs["x"]).read_bytes(), np.float32)
    (picture,) = (picture for picture in pictures if picture.name == manifest.golden.sample)
    np.testing.assert_array_equal(fed, image_to_tensor(load_image(picture), spec)[0].ravel())
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert 'data-view="tensor" data-input="picture"' in page
    report = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert report.count('aria-label="outputs agree"') == report.count('<span class="quiet">outputs agree</span>') == 3
    assert not [
        each
        for each in ("nothing found", "Detections of the original", "drawn over", 'class="toggles"')
        if each in report
    ]


def test_a_picture_with_its_channels_last_goes_in_as_it_lies(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    options = ("--layout", "nhwc", "--scale", "1", "--resize", "crop", "--color", "bgr", "--interpolation", "nearest")
    manifest = pack(save(parsed(LAST), tmp_path / "last.onnx"), *options)
    (spec,) = manifest.inputs
    assert isinstance(spec, ImageInput)
    assert (spec.layout, spec.shape, spec.color, spec.letterbox.mode) == ("nhwc", [1, 6, 5, 3], "bgr", "crop")
    assert manifest.golden is not None
    means = np.frombuffer((tmp_path / "out" / manifest.golden.outputs["y"]).read_bytes(), np.float32)
    red, green, blue = load_image(tmp_path / "samples" / manifest.golden.sample)[0, 0, :3].astype(float)
    np.testing.assert_allclose(means, [blue, 2 * green, 3 * red], rtol=1e-6)


def test_what_is_called_a_classifier_gets_the_names_given(tmp_path: Path) -> None:
    paint(tmp_path / "samples")
    (tmp_path / "names.json").write_text('{"0": "rot", "1": "grün", "2": "blau"}', "utf-8")
    model = colours()
    del model.metadata_props[:]
    names = str(tmp_path / "names.json")
    manifest = pack(save(model, tmp_path / "colours.onnx"), "--task", "classify", "--labels", names)
    assert manifest.task == ClassifyTask(output="scores", classes=["rot", "grün", "blau"], logits=False)


MAPS = f"""{HEADER} maps (float[1,16,24,3] x) => (float[1,16,24,CHANNELS] y)
<float[3,CHANNELS] w = {{WEIGHTS}}>
{{ y = MatMul (x, w) }}"""


def maps(channels: int) -> str:
    weights = ", ".join(str(0.2 * (index % 4)) for index in range(3 * channels))
    return MAPS.replace("CHANNELS", str(channels)).replace("WEIGHTS", weights)


@pytest.mark.parametrize(("channels", "names"), [(4, "sky,road,car,tree"), (1, "rest,face")])
def test_the_number_of_names_alone_says_what_the_classes_are(tmp_path: Path, channels: int, names: str) -> None:
    paint(tmp_path / "samples")
    (tmp_path / "names.txt").write_text(names.replace(",", "\n"), "utf-8")
    manifest = pack(save(parsed(maps(channels)), tmp_path / "maps.onnx"), "--labels", str(tmp_path / "names.txt"))
    assert isinstance(manifest.task, ImageSegmentationTask)
    assert (manifest.task.masks, manifest.task.classes) == ("class_maps", names.split(","))
    assert manifest.outputs[0].shape == [1, max(2, channels), 16, 24]


def test_names_of_no_output_are_refused(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("sky\nroad", "utf-8")
    model = save(parsed(maps(4)), tmp_path / "maps.onnx")
    assert refused(model, "--labels", str(tmp_path / "names.txt")) == "wrong-labels"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--scale", "1/0"), "bad-number"),
        (("--layout", "nhwc"), "no-picture"),
        (("--labels", "nothing.txt"), "unreadable-labels"),
    ],
)
def test_an_option_that_fits_nothing_leaves_nothing_behind(
    tmp_path: Path, options: tuple[str, ...], error: str
) -> None:
    assert refused(save(convolution(), tmp_path / "small.onnx"), *options) == error


def test_the_options_are_in_the_help() -> None:
    said = webbuild("pack", "--help").stdout
    assert all(
        f"--{name}" in said for name in ("labels", "mean", "std", "scale", "layout", "color", "interpolation", "resize")
    )


@pytest.mark.parametrize("option", [("--prompt", "a cat"), ("--budget", "evaluations=3")], ids=["prompt", "budget"])
def test_an_option_that_would_have_no_effect_is_refused(tmp_path: Path, option: tuple[str, str]) -> None:
    assert refused(save(convolution(), tmp_path / "small.onnx"), *option) == "conflicting-options"
