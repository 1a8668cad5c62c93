"""Recognition of matting models, which output is alpha, and how images are preprocessed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from webbuild.manifest.manifest import DepthTask, ImageInput, MatteTask, TensorTask
from webbuild.model.hub_files import HubFiles
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.tasks.matte import TASK
from webbuild.tasks.options.known_size import known_picture_size
from webbuild.tasks.registry import match_task
from webbuild.tasks.task_match import TaskMatch

PICTURE = TensorSpec("input", "float32", (1, 3, 64, 96))
MAP = (1, 1, 64, 96)
IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
HALF, ONE, ZERO = [0.5] * 3, [1.0] * 3, [0.0] * 3


def facts(
    outputs: Mapping[str, tuple[Dim, ...]],
    config: Mapping[str, object] | None = None,
    preprocessor: Mapping[str, object] | None = None,
    *,
    file: str = "m.onnx",
    activation: str = "",
    inputs: tuple[TensorSpec, ...] = (PICTURE,),
) -> ModelSignature:
    made = tuple(TensorSpec(name, "float32", shape, activation=activation) for name, shape in outputs.items())
    return ModelSignature(file, "", {}, inputs, made, hub_files=HubFiles(config or {}, preprocessor or {}))


def matte_of(found: TaskMatch) -> MatteTask:
    assert isinstance(found.task, MatteTask), found
    return found.task


def picture_of(found: TaskMatch) -> ImageInput:
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert image.letterbox.mode == "stretch"
    return image


@pytest.mark.parametrize("name", ["alphas", "pha", "alpha", "out.matte", "pred_matte", "alpha_mask"])
@pytest.mark.parametrize("shape", [(1, 64, 96), (1, 1, 32, 48), (1, 64, 96, 1)])
def test_an_output_says_by_its_name_that_it_is_alpha(name: str, shape: tuple[int, ...]) -> None:
    found = match_task(facts({"other": MAP, name: shape}, activation="Sigmoid"))
    assert (matte_of(found).output, matte_of(found).activation, found.measured_output) == (name, "none", "")
    assert any("by its name" in each for each in found.assumptions)


@pytest.mark.parametrize(
    "odd",
    [
        facts({"output": MAP}, activation="Sigmoid"),
        facts({"mask": MAP}, activation="Sigmoid"),
        facts({"alphabet": MAP}),
        facts({"alphas": (1, 3, 64, 96)}),
        facts({"alphas": (1, 1, "h", 96)}),
        facts({"alphas": (1, 10)}),
        facts({"alphas": MAP}, inputs=(PICTURE, PICTURE)),
        facts({"alphas": MAP}, inputs=(TensorSpec("x", "float32", (1, 4, 64, 96)),)),
        facts({"out": MAP}, {"model_type": "segformer"}),
        facts({"out": MAP}, file="benchmark.onnx"),
    ],
)
def test_what_does_not_say_so_or_does_not_fit_is_a_model_of_tensors(odd: ModelSignature) -> None:
    assert isinstance(match_task(odd).task, TensorTask)


def test_depth_and_segmentation_keep_theirs() -> None:
    depth = match_task(facts({"predicted_depth": (1, 64, 96)}, file="matting.onnx"))
    assert isinstance(depth.task, DepthTask)
    semantic = {"architectures": ["SegformerForSemanticSegmentation"]}
    found = match_task(facts({"logits": (1, 5, 16, 24)}, semantic))
    assert not isinstance(found.task, MatteTask)


@pytest.mark.parametrize(
    ("config", "file", "normalized", "min_max"),
    [
        ({"architectures": ["BiRefNet"], "_name_or_path": "ZhengPeng7/BiRefNet"}, "model.onnx", IMAGENET, False),
        ({}, "RMBG-2.0.onnx", IMAGENET, False),
        (
            {"architectures": ["BriaRMBG"], "model_type": "SegformerForSemanticSegmentation"},
            "m.onnx",
            (HALF, ONE),
            True,
        ),
        ({}, "bria-rmbg-1.4.onnx", (HALF, ONE), True),
        ({"model_type": "modnet"}, "model.onnx", (HALF, HALF), False),
        ({}, "modnet_photographic_portrait_matting.onnx", (HALF, HALF), False),
        ({}, "u2netp.onnx", IMAGENET, True),
        ({}, "isnet-general-use.onnx", (HALF, ONE), True),
        ({"model_type": "ben"}, "model.onnx", IMAGENET, True),
        ({"architectures": ["BEN_Base"]}, "model.onnx", IMAGENET, True),
        ({}, "rvm_mobilenetv3_fp32.onnx", (ZERO, ONE), False),
    ],
)
def test_a_family_is_known_by_its_names_and_its_pictures_go_in_as_it_takes_them(
    config: Mapping[str, object], file: str, normalized: tuple[list[float], list[float]], min_max: bool
) -> None:
    found = match_task(facts({"output": MAP}, config, file=file, activation="Sigmoid"))
    assert matte_of(found).min_max is min_max
    image = picture_of(found)
    assert ((image.mean, image.std), image.scale) == (normalized, 1 / 255)
    assert any("it is recognized as" in each for each in found.assumptions)
    assert not found.guessed_recipe


def test_the_configuration_of_the_preprocessing_counts_more_than_the_family() -> None:
    told: dict[str, object] = {"image_mean": [0.1, 0.2, 0.3], "image_std": [0.4, 0.5, 0.6], "resample": 3}
    image = picture_of(match_task(facts({"output": MAP}, {"model_type": "modnet"}, told)))
    assert (image.mean, image.std, image.letterbox.interpolation) == ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], "bicubic")


def test_the_maps_of_all_stages_are_those_of_a_u2net_and_the_first_is_meant() -> None:
    stages = {str(1959 + index): MAP for index in range(7)}
    found = match_task(facts(stages, activation="Sigmoid"))
    assert (matte_of(found).output, matte_of(found).min_max, picture_of(found).mean) == ("1959", True, IMAGENET[0])
    assert isinstance(match_task(facts(stages)).task, TensorTask)
    large = TensorSpec("x", "float32", (1, 3, 1024, 1024))
    found = match_task(facts({f"o{i}": (1, 1, 1024, 1024) for i in range(6)}, activation="Sigmoid", inputs=(large,)))
    assert (matte_of(found).output, picture_of(found).mean) == ("o0", HALF)


def test_of_several_maps_birefnets_last_and_the_largest_counts() -> None:
    config = {"architectures": ["BiRefNet"]}
    assert matte_of(match_task(facts({"a": MAP, "b": MAP}, config))).output == "b"
    assert matte_of(match_task(facts({"a": (1, 1, 16, 24), "b": MAP, "c": (1, 1, 8, 12)}, config))).output == "b"


def test_the_colours_of_the_foreground_belong_to_alpha() -> None:
    found = match_task(facts({"fgr": (1, 3, 64, 96), "pha": MAP}))
    assert (matte_of(found).output, matte_of(found).foreground) == ("pha", "fgr")
    assert matte_of(match_task(facts({"fgr": (1, 3, 32, 48), "pha": MAP}))).foreground is None


def test_what_the_user_calls_a_matte_is_one_whatever_its_names() -> None:
    found = TASK.infer(facts({"out": MAP}, activation="Sigmoid"), requested=True)
    assert found is not None
    assert matte_of(found).output == "out"
    assert found.guessed_recipe in found.assumptions
    assert TASK.infer(facts({"out": (1, 10)}), requested=True) is None


def test_two_classes_go_through_a_softmax_unless_the_graph_has_one() -> None:
    for shape, layout in (((1, 2, 64, 96), "nchw"), ((1, 64, 96, 2), "nhwc")):
        found = TASK.infer(facts({"out": shape}), requested=True)
        assert found is not None
        task = matte_of(found)
        assert (task.channel, task.activation, task.layout, found.measured_output) == (1, "softmax", layout, "")
        found = TASK.infer(facts({"out": shape}, activation="Softmax"), requested=True)
        assert found is not None
        assert matte_of(found).activation == "none"


def test_the_fourth_channel_of_rgba_is_alpha() -> None:
    task = matte_of(match_task(facts({"alphas": (1, 4, 64, 96)}, activation="Sigmoid")))
    assert (task.channel, task.activation) == (3, "none")


@pytest.mark.parametrize(
    ("values", "activation", "high"),
    [((0.0, 1.0), "none", 1), ((-3.5, 0.5), "sigmoid", 1), ((0.0, 255.0), "none", 255)],
)
def test_values_on_photographs_say_what_the_graph_does_not(
    values: tuple[float, float], activation: str, high: float
) -> None:
    found = match_task(facts({"alphas": MAP}))
    assert found.measured_output == "alphas"
    told = TASK.with_values(found, [np.linspace(*values, 64 * 96, dtype=np.float32).reshape(MAP)])
    assert (matte_of(told).activation, matte_of(told).high) == (activation, high)
    assert len(told.assumptions) == len(found.assumptions)
    assert any("on two photographs" in each for each in told.assumptions)
    nothing = np.full(MAP, np.nan, np.float32)
    assert TASK.with_values(found, [nothing]) == found


@pytest.mark.parametrize("values", [(-0.01, 1.0), (0.0, 1.02), (-0.05, 0.9), (-0.3, 1.3)])
def test_alpha_that_leaves_its_range_by_a_little_is_clipped_and_said_to_be_a_guess(
    values: tuple[float, float],
) -> None:
    alpha = np.linspace(0, 1, 64 * 96, dtype=np.float32).reshape(MAP)
    alpha[0, 0, 0, :2] = values
    told = TASK.with_values(match_task(facts({"alphas": MAP})), [alpha])
    assert (matte_of(told).activation, matte_of(told).high) == ("none", 1)
    assert any("clipped to 0..1, a guess" in each for each in told.assumptions)


@pytest.mark.parametrize(
    ("values", "activation", "high"),
    [
        ((-0.9, 1.8), "sigmoid", 1),
        ((0.0, 2.5), "sigmoid", 1),
        ((-30.0, 80.0), "sigmoid", 1),
        ((-0.4, 250.0), "none", 255),
    ],
)
def test_values_far_outside_or_many_are_evidence(values: tuple[float, float], activation: str, high: float) -> None:
    alpha = np.linspace(*values, 64 * 96, dtype=np.float32).reshape(MAP)
    told = TASK.with_values(match_task(facts({"alphas": MAP})), [alpha])
    assert (matte_of(told).activation, matte_of(told).high) == (activation, high)
    assert not any("a guess: " in each for each in told.assumptions)


def test_a_family_has_a_size_where_the_graph_leaves_it_open() -> None:
    known = known_picture_size(facts({"output": MAP}, {"model_type": "modnet"}))
    assert known is not None
    assert (known.size, known.source) == ((512, 512), "which MODNet was trained at")
    sized = {"size": {"height": 640, "width": 320}}
    known = known_picture_size(facts({"output": MAP}, {"model_type": "modnet"}, sized))
    assert known is not None
    assert known.size == (640, 320)
    assert known_picture_size(facts({"output": MAP})) is None
