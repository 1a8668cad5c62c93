"""Recognition of depth models, and the assumptions about their map and their input images."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from webbuild.manifest.manifest import DepthTask, FocusInput, ImageInput, StackInput, TensorTask
from webbuild.model.hub_files import HubFiles
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.tasks.depth import TASK
from webbuild.tasks.registry import match_task
from webbuild.tasks.task_match import TaskMatch

PICTURE = TensorSpec("pixel_values", "float32", (1, 3, 56, 70))
STACK = TensorSpec("stack", "float32", (1, 5, 3, 32, 48))
FOCUS = TensorSpec("focus_distances", "float32", (1, 5))


def facts(
    inputs: tuple[TensorSpec, ...],
    outputs: dict[str, tuple[Dim, ...]],
    config: Mapping[str, object] | None = None,
    preprocessor: Mapping[str, object] | None = None,
    metadata: dict[str, str] | None = None,
) -> ModelSignature:
    made = tuple(TensorSpec(name, "float32", shape) for name, shape in outputs.items())
    companions = HubFiles(config or {}, preprocessor or {})
    return ModelSignature("m.onnx", "", metadata or {}, inputs, made, hub_files=companions)


def depth_of(found: TaskMatch) -> DepthTask:
    assert isinstance(found.task, DepthTask)
    return found.task


@pytest.mark.parametrize("name", ["predicted_depth", "depth", "disparity", "out.depth", "depth_map", "inverse_depth"])
@pytest.mark.parametrize("shape", [(1, 56, 70), (1, 1, 28, 35)])
def test_an_output_says_by_its_name_that_it_is_depth(name: str, shape: tuple[int, ...]) -> None:
    found = match_task(facts((PICTURE,), {name: shape}))
    task = depth_of(found)
    assert (task.output, task.confidence, task.quantity, task.unit) == (name, None, "inverse-depth", "relative")
    assert any("relative inverse depth" in each for each in found.assumptions)


@pytest.mark.parametrize(
    "odd",
    [
        facts((PICTURE,), {"output": (1, 56, 70)}),
        facts((PICTURE,), {"indepth_mask": (1, 56, 70)}),
        facts((PICTURE,), {"depth": (1, 3, 56, 70)}),
        facts((PICTURE,), {"depth": (1, "n", 70)}),
        facts((PICTURE, PICTURE), {"depth": (1, 56, 70)}),
        facts((STACK, FOCUS, FOCUS), {"depth": (1, 32, 48)}),
        facts((STACK, TensorSpec("focus", "float32", (1, 4))), {"depth": (1, 32, 48)}),
        facts((STACK,), {"out": (1, 32, 48)}),
        facts((TensorSpec("stack", "float32", (1, 1, 3, 32, 48)), FOCUS), {"depth": (1, 32, 48)}),
    ],
)
def test_what_does_not_say_so_or_does_not_fit_is_a_model_of_tensors(odd: ModelSignature) -> None:
    assert isinstance(match_task(odd).task, TensorTask)


def test_what_the_user_calls_depth_is_depth_whatever_its_names() -> None:
    seen = facts((PICTURE,), {"output": (1, 1, 56, 70)})
    found = TASK.infer(seen, requested=True)
    assert found is not None
    assert depth_of(found).output == "output"
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert (image.letterbox.mode, image.mean[0], image.std[2]) == ("stretch", 0.485, 0.225)
    assert TASK.infer(facts((PICTURE,), {"output": (1, 10)}), requested=True) is None


def test_the_configuration_beside_the_model_says_what_it_is() -> None:
    relative = {"model_type": "depth_anything", "depth_estimation_type": "relative"}
    assert depth_of(match_task(facts((PICTURE,), {"out": (1, 56, 70)}, relative))).quantity == "inverse-depth"
    metric = {"model_type": "depth_anything", "depth_estimation_type": "metric", "max_depth": 20}
    task = depth_of(match_task(facts((PICTURE,), {"out": (1, 56, 70)}, metric)))
    assert (task.quantity, task.unit, task.far) == ("depth", "metres", 20)
    task = depth_of(match_task(facts((PICTURE,), {"out": (1, 56, 70)}, {"model_type": "zoedepth"})))
    assert (task.quantity, task.unit) == ("depth", "metres")
    assert isinstance(match_task(facts((PICTURE,), {"out": (1, 56, 70)}, {"model_type": "segformer"})).task, TensorTask)


def test_pictures_go_in_as_the_configuration_of_the_preprocessing_says() -> None:
    told: dict[str, object] = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.25, 0.5, 0.75], "resample": 3}
    (image,) = match_task(facts((PICTURE,), {"depth": (1, 56, 70)}, None, told)).inputs
    assert isinstance(image, ImageInput)
    assert (image.mean, image.std, image.scale) == ([0.5] * 3, [0.25, 0.5, 0.75], 1 / 255)
    assert image.letterbox.interpolation == "bicubic"
    (image,) = match_task(facts((PICTURE,), {"depth": (1, 56, 70)}, None, {"do_rescale": False})).inputs
    assert isinstance(image, ImageInput)
    assert (image.scale, image.mean, image.std) == (1, [0] * 3, [1] * 3)


@pytest.mark.parametrize("shape", [(1, 5, 3, 32, 48), (5, 3, 32, 48)])
@pytest.mark.parametrize("numbers", [(1, 5), (5,), (1, 5, 1, 1)])
def test_a_stack_with_its_focal_distances(shape: tuple[int, ...], numbers: tuple[int, ...]) -> None:
    inputs = (TensorSpec("focal", "float32", numbers), TensorSpec("stack", "float32", shape))
    found = match_task(facts(inputs, {"confidence": (1, 32, 48), "depth": (1, 32, 48)}))
    task = depth_of(found)
    assert (task.output, task.confidence, task.quantity, task.unit) == ("depth", "confidence", "depth", "metres")
    focus, stack = found.inputs
    assert isinstance(stack, StackInput)
    assert (stack.shape, stack.count) == (list(shape), 5)
    assert isinstance(focus, FocusInput)
    assert (focus.shape, focus.default) == (list(numbers), [0, 0.25, 0.5, 0.75, 1])
    assert any("even steps" in each for each in found.assumptions)


def test_a_stack_is_one_by_the_name_of_its_distances() -> None:
    assert depth_of(match_task(facts((STACK, FOCUS), {"out": (1, 32, 48)}))).output == "out"


def test_what_the_model_says_of_its_distances_is_the_default() -> None:
    told = {"focus_distances": "[0.5, 0.7, 1.0, 1.6, 3.0]", "min_depth": "0.5", "max_depth": "3", "depth_unit": "m"}
    found = match_task(facts((STACK, FOCUS), {"depth": (1, 32, 48)}, metadata=told))
    assert isinstance(found.inputs[1], FocusInput)
    assert found.inputs[1].default == [0.5, 0.7, 1.0, 1.6, 3.0]
    assert (depth_of(found).near, depth_of(found).far) == (0.5, 3)
    assert not any("even steps" in each for each in found.assumptions)


def test_a_stack_without_distances_has_no_unit() -> None:
    found = match_task(facts((STACK,), {"depth": (1, 32, 48)}))
    assert (depth_of(found).quantity, depth_of(found).unit) == ("depth", "relative")


def test_an_uncertainty_is_no_confidence_and_no_depth() -> None:
    task = depth_of(match_task(facts((STACK, FOCUS), {"uncertainty": (1, 32, 48), "out": (1, 32, 48)})))
    assert (task.output, task.confidence) == ("out", None)


def test_a_confidence_of_another_size_is_none() -> None:
    assert depth_of(match_task(facts((PICTURE,), {"depth": (1, 56, 70), "confidence": (1, 28, 35)}))).confidence is None
