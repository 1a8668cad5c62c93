"""Detectors with separate score and box outputs, recognized by their number of anchors."""

from __future__ import annotations

import pytest

from webbuild.manifest.manifest import DetectTask, ImageInput, PoseTask
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.postprocess.anchors import AnchorPostprocess
from webbuild.tasks import detect, pose
from webbuild.tasks.task_match import TaskMatch

Shapes = dict[str, tuple[int, ...]]


def signature(picture: tuple[int, ...], outputs: Shapes) -> ModelSignature:
    given = (TensorSpec("input", "float32", picture),)
    return ModelSignature(
        "m.onnx", "", {}, given, tuple(TensorSpec(n, "float32", s) for n, s in outputs.items()), frozenset()
    )


def seen(picture: tuple[int, ...], outputs: Shapes, *, asked: bool = False) -> tuple[TaskMatch, AnchorPostprocess]:
    found = detect.TASK.infer(signature(picture, outputs), requested=asked)
    assert found is not None
    assert isinstance(found.postprocess, AnchorPostprocess)
    return found, found.postprocess


def by_level(names: dict[str, int], counts: dict[int, int], batch: bool = True) -> Shapes:
    return {
        f"{name}_{stride}": (1, count, numbers) if batch else (count, numbers)
        for name, numbers in names.items()
        for stride, count in counts.items()
    }


SQUARE = (1, 3, 64, 64)
CELLS = {8: 64, 16: 16, 32: 4}
TWICE = {stride: 2 * count for stride, count in CELLS.items()}
FACES: dict[str, tuple[tuple[int, ...], Shapes, str]] = {
    "YuNet": (SQUARE, by_level({"cls": 1, "obj": 1, "bbox": 4, "kps": 10}, CELLS), "exponential"),
    "SCRFD": (SQUARE, by_level({"446": 1, "449": 4, "452": 10}, TWICE), "distances"),
    "SCRFD without a batch": (SQUARE, by_level({"446": 1, "449": 4}, TWICE, batch=False), "distances"),
    "BlazeFace": ((1, 128, 128, 3), {"regressors": (1, 896, 16), "classificators": (1, 896, 1)}, "linear"),
    "BlazeFace of the back camera": ((1, 3, 256, 256), {"r": (1, 896, 16), "c": (1, 896, 1)}, "linear"),
    "BlazeFace in levels": (
        (1, 3, 128, 128),
        {"r1": (1, 512, 16), "r2": (1, 384, 16), "c1": (1, 512, 1), "c2": (1, 384, 1)},
        "linear",
    ),
    "UltraFace": ((1, 3, 240, 320), {"scores": (1, 4420, 2), "boxes": (1, 4420, 4)}, "exponential"),
    "RetinaFace": (
        (1, 3, 640, 640),
        {"loc": (1, 16800, 4), "conf": (1, 16800, 2), "landms": (1, 16800, 10)},
        "exponential",
    ),
    "YuNet of 2021": ((1, 3, 120, 160), {"loc": (1076, 14), "conf": (1076, 2), "iou": (1076, 1)}, "exponential"),
}


@pytest.mark.parametrize("name", FACES)
def test_a_face_detector_is_known_by_its_shapes(name: str) -> None:
    picture, outputs, coding = FACES[name]
    found, spec = seen(picture, outputs)
    assert isinstance(found.task, DetectTask)
    assert (found.task.classes, spec.coding, spec.classes) == (["face"], coding, 1)
    assert set(spec.replaced_outputs) == set(outputs)
    assert name.partition(" ")[0] in found.assumptions[0]
    (image,) = found.inputs
    assert isinstance(image, ImageInput)
    assert image.layout == ("nhwc" if picture[3] == 3 else "nchw")


def test_a_retinaface_with_four_corners_finds_plates() -> None:
    plates: Shapes = {"loc": (16800, 4), "conf": (16800, 2), "landms": (16800, 8)}
    found, spec = seen((1, 3, 640, 640), plates)
    assert isinstance(found.task, DetectTask)
    assert found.task.classes == ["plate"]
    assert spec.levels[0].sizes == ((24, 24), (48, 48))
    assert set(spec.replaced_outputs) == set(plates)


def test_a_palm_detector_finds_palms() -> None:
    found, _ = seen((1, 192, 192, 3), {"Identity": (1, 2016, 18), "Identity_1": (1, 2016, 1)})
    assert isinstance(found.task, DetectTask)
    assert found.task.classes == ["palm"]


def test_nanodet_has_its_scores_in_front_of_its_distributions() -> None:
    found, spec = seen((1, 3, 64, 64), {"output": (1, 64 + 16 + 4 + 1, 112)})
    assert isinstance(found.task, DetectTask)
    assert (found.task.classes[0], spec.classes, spec.boxes[0].first) == ("person", 80, 80)


@pytest.mark.parametrize("name", ["YuNet", "SCRFD", "BlazeFace", "RetinaFace", "YuNet of 2021"])
def test_pose_takes_the_keypoints_too(name: str) -> None:
    picture, outputs, _ = FACES[name]
    found = pose.TASK.infer(signature(picture, outputs), requested=True)
    assert found is not None
    assert isinstance(found.task, PoseTask)
    assert isinstance(found.postprocess, AnchorPostprocess)
    assert len(found.task.keypoints) == (6 if name == "BlazeFace" else 5)
    assert found.postprocess.unused == ()


def test_pose_is_not_guessed() -> None:
    picture, outputs, _ = FACES["YuNet"]
    assert pose.TASK.infer(signature(picture, outputs)) is None
    assert pose.TASK.infer(signature(*FACES["UltraFace"][:2]), requested=True) is None


PAIR: Shapes = {"scores": (1, 3000, 3), "boxes": (1, 3000, 4)}


def test_a_pair_of_another_grid_is_known_by_its_names() -> None:
    _, spec = seen((1, 3, 300, 300), {**PAIR})
    assert (spec.coding, spec.levels, spec.classes) == ("corners", (), 3)
    assert detect.TASK.infer(signature((1, 3, 300, 300), {"a": (1, 3000, 3), "b": (1, 3000, 4)})) is None
    assert seen((1, 3, 300, 300), {"a": (1, 3000, 3), "b": (1, 3000, 4)}, asked=True)[1].boxes[0].output == "b"


@pytest.mark.parametrize(
    "outputs",
    [
        {"scores": (1, 900, 3), "boxes": (1, 900, 4)},
        {"scores": (1, 3000, 3), "boxes": (1, 2000, 4)},
        {**PAIR, "more": (1, 3000, 7)},
        by_level({"cls": 1, "bbox": 4}, {8: 64, 16: 16, 32: 5}),
        by_level({"cls": 1, "bbox": 4, "more": 3}, CELLS),
    ],
)
def test_other_outputs_are_none_of_them(outputs: Shapes) -> None:
    assert detect.TASK.infer(signature(SQUARE, outputs)) is None
