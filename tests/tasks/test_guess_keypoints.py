"""Recognition of models that find keypoints in a crop, by names, shapes and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from webbuild.manifest.manifest import (
    CropEmbeddingsTask,
    CropInput,
    HeatmapHead,
    KeypointsTask,
    RegressionHead,
    SimccHead,
)
from webbuild.model.hub_files import HubFiles
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.tasks.detect import TASK as DETECT
from webbuild.tasks.keypoints import TASK
from webbuild.tasks.registry import match_task
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.tensor import TASK as TENSOR


def signature(
    shape: tuple[int, ...],
    outputs: Mapping[str, tuple[int, ...]],
    file: str = "model.onnx",
    name: str = "input",
    **hub: Any,
) -> ModelSignature:
    return ModelSignature(
        file,
        "pytorch",
        {},
        (TensorSpec(name, "float32", shape),),
        tuple(TensorSpec(each, "float32", size) for each, size in outputs.items()),
        hub_files=HubFiles(**hub),
    )


def recognized(given: ModelSignature, *, requested: bool = False) -> tuple[KeypointsTask, CropInput]:
    match = TASK.infer(given, requested=requested)
    assert match is not None
    (crop,) = match.inputs
    assert isinstance(match.task, KeypointsTask)
    assert isinstance(crop, CropInput)
    return match.task, crop


def test_rtmpose_is_two_vectors() -> None:
    task, crop = recognized(signature((1, 3, 256, 192), {"simcc_x": (1, 17, 384), "simcc_y": (1, 17, 512)}))
    assert task.head == SimccHead(x="simcc_x", y="simcc_y", split_ratio=2)
    assert (task.classes, task.keypoints[0].name, len(task.skeleton)) == (["person"], "nose", 19)
    assert (crop.padding, crop.unbiased, crop.color) == (1.25, False, "rgb")
    assert crop.mean == [0.485, 0.456, 0.406]


def test_the_vectors_of_a_square_input_are_told_apart_by_their_names() -> None:
    task, _ = recognized(signature((1, 3, 256, 256), {"simcc_y": (1, 21, 512), "simcc_x": (1, 21, 512)}))
    assert task.head == SimccHead(x="simcc_x", y="simcc_y", split_ratio=2)
    assert task.classes == ["hand"]


def test_vectors_without_a_name_want_the_option() -> None:
    given = signature((1, 3, 256, 192), {"a": (1, 17, 384), "b": (1, 17, 512)})
    assert TASK.infer(given) is None
    assert recognized(given, requested=True)[0].head == SimccHead(x="a", y="b", split_ratio=2)


def test_vectors_named_simcc_are_no_rows_of_a_detector() -> None:
    given = signature((1, 3, 48, 16), {"simcc_x": (1, 17, 32), "simcc_y": (1, 17, 96)})
    assert DETECT.infer(given) is not None
    assert isinstance(match_task(given).task, KeypointsTask)


def test_vitpose_of_transformers_is_refined_as_there() -> None:
    task, crop = recognized(
        signature(
            (1, 3, 256, 192),
            {"heatmaps": (1, 17, 64, 48)},
            name="pixel_values",
            preprocessor={"image_mean": [0.5] * 3, "image_std": [0.25] * 3, "do_rescale": True, "do_normalize": True},
        )
    )
    assert task.head == HeatmapHead(output="heatmaps", refine="udp", sigma=0.8, radius=5, unbiased=True)
    assert (crop.unbiased, crop.mean, crop.std) == (True, [0.5] * 3, [0.25] * 3)


def test_an_hrnet_is_known_by_its_file() -> None:
    outputs = {"output": (1, 17, 64, 48)}
    task, crop = recognized(signature((1, 3, 256, 192), outputs, "hrnet_w32_coco_256x192.onnx"))
    assert task.head == HeatmapHead(output="output", refine="shift", unbiased=False)
    assert not crop.unbiased
    assert TASK.infer(signature((1, 3, 256, 192), outputs, "segmenter.onnx")) is None
    assert TASK.infer(signature((1, 3, 256, 192), {"output": (1, 19, 64, 48)}, "hrnet_cityscapes.onnx")) is None


def test_maps_of_another_size_are_no_heat_maps() -> None:
    given = signature((1, 3, 256, 192), {"heatmaps": (1, 17, 256, 192)})
    assert TASK.infer(given, requested=True) is None


@pytest.mark.parametrize(
    ("file", "size", "shape", "head", "padding"),
    [
        ("2d106det.onnx", 192, (1, 212), RegressionHead(output="out", columns="xy", range="signed"), 1.5),
        ("pfld.onnx", 112, (1, 136), RegressionHead(output="out", columns="xy", range="unit"), 1.2),
        ("face_mesh.onnx", 192, (1, 1, 1, 1404), RegressionHead(output="out", columns="xyz", range="pixels"), 1.5),
    ],
)
def test_landmarks_are_known_by_their_files(
    file: str, size: int, shape: tuple[int, ...], head: RegressionHead, padding: float
) -> None:
    given = signature((1, 3, size, size), {"out": shape}, file)
    task, crop = recognized(given)
    assert (task.head, task.classes, crop.padding) == (head, ["face"], padding)
    assert TASK.infer(signature((1, 3, size, size), {"out": shape})) is None


@pytest.mark.parametrize(
    ("values", "span"),
    [([0.1, 0.9, 0.5, 0.4], "unit"), ([-0.8, 0.9, -0.5, 0.4], "signed"), ([10.0, 90.0, 50.0, 40.0], "pixels")],
)
def test_numbers_say_on_photographs_what_they_are(values: list[float], span: str) -> None:
    match = TASK.infer(signature((1, 3, 112, 112), {"out": (1, 4)}), requested=True)
    assert match is not None
    measured: TaskMatch = TASK.with_values(match, [np.array([values], np.float32)] * 2)
    assert isinstance(measured.task, KeypointsTask)
    assert isinstance(measured.task.head, RegressionHead)
    assert measured.task.head.range == span


def test_the_names_in_config_json_are_taken() -> None:
    names = {str(index): f"joint {index}" for index in range(17)}
    task, _ = recognized(signature((1, 3, 64, 48), {"heatmaps": (1, 17, 16, 12)}, config={"id2label": names}))
    assert [each.name for each in task.keypoints][:2] == ["joint 0", "joint 1"]


def test_a_name_tells_the_output_of_landmarks_beside_a_map_that_looks_like_heat() -> None:
    given = signature((1, 3, 112, 112), {"features": (1, 16, 14, 14), "landmarks": (1, 196)})
    task, _ = recognized(given)
    assert task.head == RegressionHead(output="landmarks", columns="xy", range="unit")
    assert task.classes == ["face"]


@pytest.mark.parametrize(
    ("outputs", "head"),
    [
        ({"output": (1, 17, 64, 48)}, HeatmapHead(output="output", refine="shift")),
        ({"12": (1, 17, 384), "34": (1, 17, 512)}, SimccHead(x="12", y="34", split_ratio=2)),
    ],
    ids=["heat maps", "SimCC"],
)
def test_behind_a_detector_shapes_tell_maps_of_keypoints(outputs: Mapping[str, tuple[int, ...]], head: Any) -> None:
    given = signature((1, 3, 256, 192), outputs, "end2end.onnx")
    assert TASK.infer(given) is None
    match = TENSOR.for_crops(TENSOR.infer(given), given)
    assert match is not None
    assert isinstance(match.task, KeypointsTask)
    assert match.task.head == head


def test_behind_a_detector_a_vector_is_one_even_beside_a_map() -> None:
    given = signature((1, 3, 112, 112), {"features": (1, 16, 14, 14), "683": (1, 512)}, "w600k_r50.onnx")
    match = TENSOR.for_crops(TENSOR.infer(given), given)
    assert match is not None
    assert isinstance(match.task, CropEmbeddingsTask)


def test_the_hand_landmarks_of_mediapipe_are_pixels_of_the_crop() -> None:
    outputs = {"Identity": (1, 63), "Identity_1": (1, 1), "Identity_2": (1, 1), "Identity_3": (1, 63)}
    task, crop = recognized(signature((1, 224, 224, 3), outputs, "handpose_estimation_mediapipe_2023feb.onnx"))
    assert task.head == RegressionHead(output="Identity", columns="xyz", range="pixels")
    assert (task.classes, len(task.keypoints), crop.layout) == (["hand"], 21, "nhwc")
