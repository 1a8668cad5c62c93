"""Recognition of text detectors, and how images are preprocessed."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from webbuild.manifest.manifest import DepthTask, ImageInput, MatteTask, TensorTask, TextBoxesTask
from webbuild.model.hub_files import HubFiles
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.tasks.options.known_size import known_picture_size
from webbuild.tasks.registry import match_task
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.text_boxes import TASK

PICTURE, MAP = (1, 3, 64, 96), (1, 1, 64, 96)


def signature(
    file: str = "m.onnx",
    names: tuple[str, str] = ("image", "map"),
    *,
    activation: str = "Sigmoid",
    picture: tuple[Dim, ...] = PICTURE,
    shape: tuple[Dim, ...] = MAP,
    more: tuple[TensorSpec, ...] = (),
) -> ModelSignature:
    image, output = (TensorSpec(name, "float32", each) for name, each in zip(names, (picture, shape), strict=True))
    output = TensorSpec(output.name, "float32", shape, activation=activation)
    return ModelSignature(file, "", {}, (image,), (output, *more))


def found(match: TaskMatch | None) -> tuple[TextBoxesTask, ImageInput]:
    assert match is not None
    (image,) = match.inputs
    assert isinstance(match.task, TextBoxesTask)
    assert isinstance(image, ImageInput)
    return match.task, image


@pytest.mark.parametrize(
    "told",
    [
        signature("ch_PP-OCRv4_det_infer.onnx"),
        signature("det.onnx"),
        signature("text_detection.onnx"),
        signature("dbnet_r18.onnx"),
        signature(names=("x", "sigmoid_0.tmp_0")),
        signature(names=("x", "fetch_name_0")),
        signature(names=("x", "save_infer_model/scale_0.tmp_1")),
    ],
    ids=lambda told: f"{told.file} {told.outputs[0].name}",
)
def test_names_tell_a_detector_of_paddle(told: ModelSignature) -> None:
    task, image = found(match_task(told))
    assert (task.activation, task.threshold, task.confidence, task.unclip_ratio) == ("none", 0.3, 0.6, 1.5)
    assert (image.color, image.mean, image.std) == ("bgr", [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    assert (image.letterbox.mode, image.letterbox.anchor, image.letterbox.pad) == ("letterbox", "top-left", 0)


def test_what_lies_beside_the_model_tells_it_and_its_thresholds() -> None:
    said = {
        "name": "DBPostProcess",
        "thresh": "0.2",
        "box_thresh": "0.45",
        "unclip_ratio": "1.4",
        "max_candidates": "3000",
    }
    told = msgspec.structs.replace(signature("inference.onnx"), hub_files=HubFiles(postprocess=said))
    task, _ = found(match_task(told))
    assert (task.threshold, task.confidence, task.unclip_ratio, task.max_outlines) == (0.2, 0.45, 1.4, 3000)
    odd = {
        "name": "DBPostProcess",
        "thresh": "none",
        "box_thresh": "1.5",
        "unclip_ratio": "nan",
        "max_candidates": ["1"],
    }
    task, _ = found(match_task(msgspec.structs.replace(told, hub_files=HubFiles(postprocess=odd))))
    assert (task.threshold, task.confidence, task.unclip_ratio, task.max_outlines) == (0.3, 0.6, 1.5, 1000)
    other = msgspec.structs.replace(told, hub_files=HubFiles(postprocess={"name": "CTCLabelDecode"}))
    assert isinstance(match_task(other).task, TensorTask)


@pytest.mark.parametrize("file", ["db_resnet50.onnx", "rep_db_mobilenet_v3_large-1866973f.onnx"])
def test_a_file_name_tells_one_of_doctr(file: str) -> None:
    told = signature(file, ("input", "logits"), activation="")
    match = match_task(told)
    task, image = found(match)
    assert match.measured_output == "logits"
    assert (task.confidence, image.color, image.letterbox.anchor) == (0.1, "rgb", "center")
    assert image.letterbox.interpolation == "bilinear-antialias"
    assert (image.mean, image.std) == ([0.798, 0.785, 0.772], [0.264, 0.2749, 0.287])


@pytest.mark.parametrize(
    ("modules", "file", "threshold"),
    [
        (("fpn", "prob_head"), "db_resnet34", 0.3),
        (("fpn", "classifier"), "linknet_resnet18", 0.1),
        (("neck", "prob_head"), "rep_fast_tiny", 0.1),
    ],
    ids=["DBNet", "LinkNet", "FAST"],
)
def test_modules_configuration_or_file_tell_which_of_doctr(
    modules: tuple[str, str], file: str, threshold: float
) -> None:
    bare = signature(names=("input", "logits"), activation="")
    assert isinstance(match_task(bare).task, TensorTask)
    by_modules = msgspec.structs.replace(bare, modules=frozenset({"feat_extractor", *modules, "Identity_3"}))
    by_config = msgspec.structs.replace(bare, hub_files=HubFiles(config={"arch": file}))
    for told in (by_modules, by_config, msgspec.structs.replace(bare, file=f"{file}.onnx")):
        task, image = found(match_task(told))
        assert (task.threshold, task.unclip_ratio, task.confidence) == (threshold, 1.5, 0.1)
        assert image.mean == [0.798, 0.785, 0.772]
    elsewhere = signature(names=("input", "mask"), activation="")
    elsewhere = msgspec.structs.replace(elsewhere, modules=by_modules.modules)
    assert isinstance(match_task(elsewhere).task, TensorTask)


@pytest.mark.parametrize(
    ("values", "activation"), [([0.0, 1.0], "none"), ([0.1, 0.2], "none"), ([-4, 3], "sigmoid"), ([0, 1.5], "sigmoid")]
)
def test_values_tell_logits_from_probabilities(values: list[float], activation: str) -> None:
    match = match_task(signature("det.onnx", activation=""))
    measured = TASK.with_values(match, [np.array([[values]]), np.array([np.nan])])
    assert found(measured)[0].activation == activation
    assert any("on two photographs" in each for each in measured.assumptions)


@pytest.mark.parametrize(
    ("odd", "other"),
    [
        (signature(), TensorTask),
        (signature("detector.onnx"), TensorTask),
        (signature("det.onnx", shape=(1, 2, 64, 96)), TensorTask),
        (signature("det.onnx", shape=(1, 84, 2100)), TensorTask),
        (signature("det.onnx", more=(TensorSpec("other", "float32", MAP),)), TensorTask),
        (signature(names=("x", "fetch_name_0"), activation="Softmax"), TensorTask),
        (signature(names=("img", "sigmoid_0.tmp_0")), TensorTask),
        (signature("det.onnx", names=("x", "predicted_depth")), DepthTask),
        (signature("u2net.onnx", names=("x", "sigmoid_0.tmp_0")), MatteTask),
    ],
    ids=["no name", "another word", "channels", "rows", "outputs", "classes", "other input", "depth", "matte"],
)
def test_what_does_not_say_so_or_does_not_fit_is_none(odd: ModelSignature, other: type) -> None:
    assert isinstance(match_task(odd).task, other)


def test_any_map_is_one_if_the_user_says_so() -> None:
    match = TASK.infer(signature(), requested=True)
    assert found(match)[0].output == "map"
    assert match is not None
    assert "PaddleOCR" in match.guessed_recipe
    assert TASK.infer(signature(shape=(1, 3, 64, 96)), requested=True) is None


@pytest.mark.parametrize(("file", "side"), [("det.onnx", 960), ("db_resnet50.onnx", 1024)])
def test_free_sizes_are_those_of_the_family(file: str, side: int) -> None:
    free = signature(file, picture=("n", 3, "h", "w"), shape=("n", 1, None, None))
    known = known_picture_size(free)
    assert known is not None
    assert known.size == (side, side)
    assert known_picture_size(signature("yolo.onnx", picture=("n", 3, "h", "w"), shape=("n", 1, "h", "w"))) is None
