"""Which models are recognized as classifiers, and when two classifications are the same."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import ClassifyTask, ImageInput, TensorTask
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.tasks.classify import TASK
from webbuild.tasks.decoding.class_scores import class_probabilities
from webbuild.tasks.metrics.match_classes import ClassMatch, match_classes
from webbuild.tasks.registry import infer_kind, match_task
from webbuild.tasks.run_context import RunContext

NAMES = {"task": "classify", "names": "{0: 'cup', 1: 'plate', 2: 'spoon'}"}
RATIO = 1e-3


def facts(
    metadata: dict[str, str],
    output: tuple[Dim, ...] = (1, 3),
    picture: tuple[Dim, ...] = (1, 3, 64, 64),
    dtype: str = "float32",
) -> ModelSignature:
    inputs = (TensorSpec("images", "float32", picture),)
    return ModelSignature("m.onnx", "", metadata, inputs, (TensorSpec("output0", dtype, output),))


def task(*classes: str, logits: bool = False) -> ClassifyTask:
    return ClassifyTask(output="y", classes=list(classes), logits=logits)


def match(want: list[float], got: list[float]) -> ClassMatch:
    return match_classes(np.array(want), np.array(got), RATIO)


def test_a_classification_export_is_known_by_its_metadata() -> None:
    found = match_task(facts(NAMES))
    assert found.task == ClassifyTask(output="output0", classes=["cup", "plate", "spoon"], logits=False)
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.letterbox.mode, image.letterbox.interpolation) == ("crop", "bilinear-antialias")
    assert (image.scale, image.mean, image.std) == (1 / 255, [0, 0, 0], [1, 1, 1])
    assert len(found.assumptions) == 2


def test_an_input_that_is_not_square_is_stretched_into_as_the_exporter_does() -> None:
    (image,) = match_task(facts(NAMES, picture=(1, 3, 32, 64))).inputs
    assert isinstance(image, ImageInput)
    assert (image.letterbox.mode, image.letterbox.interpolation) == ("stretch", "bilinear-antialias")


@pytest.mark.parametrize(("picture", "layout"), [((1, 3, 32, 64), "nchw"), ((1, 224, 224, 3), "nhwc")])
def test_a_requested_classifier_may_take_bytes(picture: tuple[Dim, ...], layout: str) -> None:
    signature = facts({}, picture=picture)
    (spec,) = signature.inputs
    signature = msgspec.structs.replace(signature, inputs=(msgspec.structs.replace(spec, dtype="uint8"),))
    found = infer_kind(TASK, signature, requested=True)
    assert found is not None
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.dtype, image.scale, image.layout, image.shape) == ("uint8", 1.0, layout, list(picture))
    assert any("takes bytes: RGB" in each for each in found.assumptions)


@pytest.mark.parametrize("picture", [(1, 1, 28, 28), (1, 28, 28, 1)])
def test_a_requested_classifier_may_take_grey_pictures(picture: tuple[Dim, ...]) -> None:
    found = TASK.infer(facts({}, picture=picture), requested=True)
    assert found is not None
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.color, image.mean, image.std, image.shape) == ("gray", [0], [1], list(picture))
    assert "in grey, scaled to 0..1" in found.guessed_recipe


def test_paddleocr_s_orientation_classifier_takes_a_line_by_itself_too() -> None:
    lines = facts({}, output=(1, 2), picture=(1, 3, 48, 192))
    assert isinstance(match_task(lines).task, TensorTask)
    found = match_task(msgspec.structs.replace(lines, file="ch_ppocr_mobile_v2.0_cls_infer.onnx"))
    assert found.task == ClassifyTask(output="output0", classes=["0", "180"], logits=True)
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.color, image.mean, image.letterbox.mode, image.letterbox.pad) == ("bgr", [0.5] * 3, "line", "mean")


def test_labels_in_rapidai_s_metadata_make_a_classifier() -> None:
    found = match_task(facts({"character": "0\n90\n180"}))
    assert found.task == ClassifyTask(output="output0", classes=["0", "90", "180"], logits=True)
    assert "task classify with 3 classes, from the metadata" in found.assumptions
    assert isinstance(match_task(facts({"character": "0\n90"})).task, TensorTask)


@pytest.mark.parametrize(
    "odd",
    [
        facts({}),
        facts({**NAMES, "task": "detect"}),
        facts({**NAMES, "names": ""}),
        facts(NAMES, output=(2, 3)),
        facts(NAMES, output=(1, 3, 1)),
        facts(NAMES, output=(1, "n")),
        facts(NAMES, dtype="int64"),
        facts(NAMES, picture=(1, 4, 64, 64)),
    ],
)
def test_what_does_not_fit_is_a_model_of_tensors(odd: ModelSignature) -> None:
    assert isinstance(match_task(odd).task, TensorTask)


@pytest.mark.parametrize(("operator", "logits"), [("Softmax", False), ("Sigmoid", False), ("Gemm", True), ("", True)])
def test_what_the_user_calls_a_classifier_is_one_whatever_its_metadata(operator: str, logits: bool) -> None:
    seen = facts({}, output=(1, 2))
    seen = msgspec.structs.replace(seen, outputs=(TensorSpec("y", "float32", (1, 2), operator),))
    assert TASK.infer(seen) is None
    found = TASK.infer(seen, requested=True)
    assert found is not None
    assert found.task == ClassifyTask(output="y", classes=["class 0", "class 1"], logits=logits)
    assert any("--labels" in each for each in found.assumptions)


def test_other_names_than_scores_are_an_error_unless_the_user_asks() -> None:
    odd = facts(NAMES, output=(1, 4))
    with pytest.raises(WebbuildError, match=r"4 class scores, the metadata 3 name") as caught:
        match_task(odd)
    assert caught.value.code == "class-count-mismatch"
    found = TASK.infer(odd, requested=True)
    assert found is not None
    assert isinstance(found.task, ClassifyTask)
    assert len(found.task.classes) == 4


def test_a_picture_with_its_channels_last_is_one_too() -> None:
    found = TASK.infer(facts({}, picture=(1, 32, 48, 3)), requested=True)
    assert found is not None
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.layout, image.shape, image.letterbox.mode) == ("nhwc", [1, 32, 48, 3], "stretch")


@pytest.mark.parametrize(
    "odd", [facts(NAMES, output=(3,)), facts(NAMES, picture=(2, 3, 8, 8)), facts({}, dtype="int8")]
)
def test_what_is_no_classifier_is_none_even_when_asked(odd: ModelSignature) -> None:
    assert TASK.infer(odd, requested=True) is None


def test_a_score_that_is_not_a_number_comes_last() -> None:
    values = np.array([[np.nan, 0.25, np.nan, 0.75]])
    found = TASK.decode(task("a", "b", "c", "d"), {"y": values}, RunContext())
    assert [each.label for each in found] == ["d", "b", "a", "c"]


def test_logits_become_probabilities_and_probabilities_stay() -> None:
    values = np.array([0.0, np.log(3)], np.float64)
    np.testing.assert_allclose(class_probabilities(task("a", "b", logits=True), values), [0.25, 0.75], rtol=1e-12)
    np.testing.assert_array_equal(class_probabilities(task("a", "b"), values), values)


def test_equal_scores_are_the_same_at_no_distance() -> None:
    found = match([0.7, 0.2, 0.1], [0.7, 0.2, 0.1])
    assert (found.matches, found.is_informative, found.distance, found.tied) == (True, True, 0, False)


@pytest.mark.parametrize(("shift", "same"), [(0.0006, True), (0.0008, False)])
def test_any_score_may_move_by_a_thousandth_of_the_best(shift: float, same: bool) -> None:
    assert match([0.7, 0.2, 0.1], [0.7, 0.2, 0.1 + shift]).matches is same


def test_the_small_scores_of_many_classes_have_a_small_tolerance() -> None:
    want = np.full(1000, 0.001)
    want[7] = 0.0012
    got = want.copy()
    got[7] = 0.001
    assert not match_classes(want, got, RATIO).matches


def test_another_best_class_is_another_answer() -> None:
    found = match([0.7, 0.2, 0.1], [0.2, 0.7, 0.1])
    assert (found.want, found.got, found.same_class, found.matches) == (0, 1, False, False)


def test_the_best_two_may_change_places_where_they_are_as_good() -> None:
    found = match([0.5, 0.4999, 0.0], [0.4999, 0.5, 0.0])
    assert (found.matches, found.tied) == (True, True)
    assert not match([0.5, 0.499, 0.0], [0.4995, 0.49951, 0.0]).same_class


@pytest.mark.parametrize("got", [[np.nan, 0.2], [np.inf, 0.2], [0.8]])
def test_what_is_no_number_or_missing_is_never_the_same(got: list[float]) -> None:
    assert not match([0.8, 0.2], got).matches
    assert not match([np.nan, 0.2], [np.nan, 0.2]).matches


def test_classes_of_one_score_prove_nothing() -> None:
    assert not match([0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]).is_informative
