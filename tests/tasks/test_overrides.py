"""Options that override what a model says."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from tests.manifests import image_input
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import ClassifyTask, ImageInput, Input, TensorInput, TensorTask
from webbuild.tasks.options.user_overrides import apply_overrides, parse_overrides
from webbuild.tasks.task_match import TaskMatch

CLASSES = ClassifyTask(output="y", classes=["class 0", "class 1"], logits=True)
NCHW = TensorInput(name="x", dtype="float32", shape=[1, 3, 4, 8])
NHWC = TensorInput(name="x", dtype="float32", shape=[1, 4, 8, 3])


def classifier() -> TaskMatch:
    return TaskMatch(CLASSES, (image_input(8, 8),), ("said",))


def tensors(*inputs: Input) -> TaskMatch:
    return TaskMatch(TensorTask(), inputs, ("said",))


def image(known: TaskMatch, **given: str) -> ImageInput:
    (spec,) = apply_overrides(known, parse_overrides(given)).inputs
    assert isinstance(spec, ImageInput)
    return spec


def refusal(known: TaskMatch, **given: str) -> WebbuildError:
    with pytest.raises(WebbuildError) as caught:
        apply_overrides(known, parse_overrides(given))
    assert caught.value.exit_code == USAGE
    assert caught.value.fix
    return caught.value


def test_without_options_the_guess_stays_as_it_is() -> None:
    known = classifier()
    assert apply_overrides(known, parse_overrides({"labels": None, "mean": None})) is known


def test_every_option_finds_its_field() -> None:
    spec = image(
        classifier(),
        scale="1/255",
        mean="0.485, 0.456,0.406",
        std="0.5",
        color="bgr",
        resize="crop",
        interpolation="bicubic",
        layout="nchw",
    )
    assert (spec.scale, spec.mean, spec.std) == (1 / 255, [0.485, 0.456, 0.406], [0.5, 0.5, 0.5])
    assert (spec.color, spec.letterbox.mode, spec.letterbox.interpolation) == ("bgr", "crop", "bicubic")
    assert spec.letterbox.pad == 114


def test_what_was_given_is_among_the_assumptions() -> None:
    known = apply_overrides(classifier(), parse_overrides({"scale": "2", "resize": "stretch"}))
    assert known.assumptions[0] == "said"
    assert "--scale 2, --resize stretch" in known.assumptions[-1]


def test_a_scale_alone_leaves_no_mean_or_deviation_of_another_scale() -> None:
    normalized = TaskMatch(
        CLASSES, (structs.replace(image_input(8, 8), mean=[0.485, 0.456, 0.406], std=[0.2] * 3),), ()
    )
    raw = image(normalized, scale="1")
    assert (raw.scale, raw.mean, raw.std) == (1, [0] * 3, [1] * 3)
    said = apply_overrides(normalized, parse_overrides({"scale": "1"})).assumptions[-1]
    assert said.endswith("--scale 1 (RGB, letterboxed in 8 x 8 with grey 114, pixel values 0..255 as they are)")
    assert image(normalized, scale="1", std="0.5").std == [0.5] * 3
    assert image(normalized, mean="0.5").std == [0.2] * 3
    assert image(normalized, resize="crop").mean == [0.485, 0.456, 0.406]


@pytest.mark.parametrize(("spec", "layout"), [(NCHW, "nchw"), (NHWC, "nhwc")])
def test_a_plain_tensor_of_a_pictures_shape_becomes_a_picture(spec: TensorInput, layout: str) -> None:
    made = image(tensors(spec), mean="0.5")
    assert (made.name, made.shape, made.layout, made.mean) == ("x", spec.shape, layout, [0.5] * 3)
    assert image(tensors(spec), layout=layout).layout == layout


@pytest.mark.parametrize(
    "inputs",
    [
        (NCHW, TensorInput(name="z", dtype="float32", shape=[1, 3, 4, 8])),
        (TensorInput(name="x", dtype="float32", shape=[1, 4, 4, 8]),),
        (TensorInput(name="x", dtype="float32", shape=[2, 3, 4, 8]),),
        (TensorInput(name="x", dtype="int32", shape=[1, 3, 4, 8]),),
        (TensorInput(name="x", dtype="float32", shape=[3, 4, 8]),),
    ],
    ids=["two", "channels", "batch", "type", "rank"],
)
def test_where_no_single_input_can_be_a_picture_the_inputs_are_named(inputs: tuple[TensorInput, ...]) -> None:
    error = refusal(tensors(*inputs), scale="1")
    assert error.code == "no-picture"
    assert f"'x' {inputs[0].dtype} {inputs[0].shape}" in error.message
    assert "float32 or uint8 [1, c, h, w] or [1, h, w, c]" in error.message


def test_a_second_input_that_is_no_picture_stays_a_tensor() -> None:
    other = TensorInput(name="z", dtype="int64", shape=[1])
    first, second = apply_overrides(tensors(NCHW, other), parse_overrides({"scale": "1"})).inputs
    assert isinstance(first, ImageInput)
    assert second is other


def test_a_layout_that_the_shape_denies_is_refused() -> None:
    assert refusal(tensors(NCHW), layout="nhwc").code == "no-picture"
    assert refusal(classifier(), layout="nhwc").code == "wrong-layout"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scale", "0"),
        ("scale", "-1"),
        ("scale", "1/0"),
        ("scale", "1/255/2"),
        ("scale", "one"),
        ("scale", "nan"),
        ("mean", "1,2"),
        ("mean", "1,2,3,4"),
        ("mean", ""),
        ("mean", "inf"),
        ("std", "0.5,0,0.5"),
        ("std", "-1"),
    ],
)
def test_what_is_no_number_is_refused_by_its_option(name: str, text: str) -> None:
    error = refusal(classifier(), **{name: text})
    assert error.code == "bad-number"
    assert f"--{name}" in error.message


def test_labels_become_the_classes(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("cup\nplate\n")
    known = apply_overrides(classifier(), parse_overrides({"labels": tmp_path / "names.txt"}))
    assert isinstance(known.task, ClassifyTask)
    assert known.task.classes == ["cup", "plate"]
    assert "names.txt" in known.assumptions[-1]


def test_labels_of_another_number_are_refused_with_both_numbers(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("cup\nplate\nspoon\n")
    error = refusal(classifier(), labels=str(tmp_path / "names.txt"))
    assert error.code == "wrong-labels"
    assert "3 names, the model has 2 classes" in error.message
    assert refusal(tensors(NCHW), labels=str(tmp_path / "names.txt")).code == "wrong-labels"


def test_a_grey_input_has_one_mean() -> None:
    gray = tensors(TensorInput(name="x", dtype="float32", shape=[1, 1, 4, 8]))
    spec = image(gray, scale="1/255", mean="0.5", color="gray")
    assert (spec.color, spec.mean, spec.std) == ("gray", [0.5], [1.0])
    assert refusal(gray, mean="0.1,0.2,0.3").code == "wrong-layout"
    assert refusal(gray, color="bgr").code == "wrong-layout"
    assert refusal(classifier(), color="gray").code == "wrong-layout"
