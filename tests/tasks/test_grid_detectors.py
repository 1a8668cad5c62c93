"""Detectors whose outputs are grids of cells, recognized by the grid sizes."""

from __future__ import annotations

import pytest

from tests.tasks.test_anchor_detectors import Shapes, seen, signature
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import DetectTask, ImageInput
from webbuild.tasks import detect

PICTURE = (1, 3, 352, 352)
GRIDS: dict[str, tuple[tuple[int, ...], Shapes, int, int]] = {
    "FastestDet": (PICTURE, {"758": (1, 85, 22, 22)}, 484, 80),
    "FastestDet of three classes": ((1, 3, 320, 512), {"out": (1, 8, 20, 32)}, 640, 3),
    "YOLO-FastestV2 in one table": (PICTURE, {"845": (605, 95)}, 1815, 80),
    "YOLO-FastestV2 with a batch": (PICTURE, {"845": (1, 605, 95)}, 1815, 80),
    "YOLO-FastestV2 in grids": (PICTURE, {"a": (1, 22, 22, 95), "b": (1, 11, 11, 95)}, 1815, 80),
    "YOLO-FastestV2 in maps": (PICTURE, {"b": (1, 95, 11, 11), "a": (1, 95, 22, 22)}, 1815, 80),
    "YOLOv5": (
        (1, 3, 320, 416),
        {"a": (1, 3, 40, 52, 25), "b": (1, 3, 20, 26, 25), "c": (1, 3, 10, 13, 25)},
        8190,
        20,
    ),
}


@pytest.mark.parametrize("name", GRIDS)
def test_a_grid_is_known_by_its_size(name: str) -> None:
    picture, outputs, anchors, classes = GRIDS[name]
    found, spec = seen(picture, outputs)
    assert isinstance(found.task, DetectTask)
    assert (spec.classes, len(found.task.classes)) == (classes, classes)
    assert sum(level.anchors for level in spec.levels) == anchors
    assert set(spec.replaced_outputs) == set(outputs)
    assert found.guessed, "its answers have to confirm it"
    assert f"{name.partition(' ')[0]}'s" in found.assumptions[0]


def test_a_yolov5_face_is_known_by_the_names_of_its_outputs() -> None:
    grids = {8: (40, 52), 16: (20, 26), 32: (10, 13)}
    named: Shapes = {f"stride_{stride}": (1, 3, *cells, 16) for stride, cells in grids.items()}
    found, spec = seen((1, 3, 320, 416), named)
    assert isinstance(found.task, DetectTask)
    assert (found.task.classes, spec.classes) == (["face"], 1)
    assert [(each.first, each.end) for each in spec.scores] == [(15, 16)] * 3
    assert spec.levels[0].sizes == ((4, 5),)
    _, other = seen((1, 3, 320, 416), {f"out_{name}": shape for name, shape in named.items()})
    assert other.classes == 11


def test_pictures_go_in_as_the_authors_code_gives_them() -> None:
    (image,) = seen(*GRIDS["FastestDet"][:2])[0].inputs
    assert isinstance(image, ImageInput)
    assert (image.color, image.scale, image.letterbox.mode) == ("bgr", 1 / 255, "stretch")


def test_anchors_that_the_model_does_not_hold_are_an_assumption() -> None:
    assert "anchors are assumed" in seen(*GRIDS["YOLO-FastestV2 in one table"][:2])[0].assumptions[0]
    assert "anchors are assumed" not in seen(*GRIDS["FastestDet"][:2])[0].assumptions[0]


@pytest.mark.parametrize(
    ("picture", "outputs"),
    [
        (PICTURE, {"a": (1, 22, 22, 19), "b": (1, 11, 11, 19)}),
        ((1, 3, 320, 320), {"a": (1, 20, 20, 95), "b": (1, 10, 10, 95)}),
    ],
)
def test_anchors_of_another_training_are_not_known(picture: tuple[int, ...], outputs: Shapes) -> None:
    given = signature(picture, outputs)
    assert detect.TASK.infer(given) is None
    with pytest.raises(WebbuildError, match="whose anchors are known for 80 classes at 352 x 352 only") as raised:
        detect.TASK.infer(given, requested=True)
    assert raised.value.code == "unknown-anchors"


@pytest.mark.parametrize(
    "outputs",
    [
        {"a": (1, 5, 22, 22)},
        {"a": (1, 85, 44, 44)},
        {"a": (1, 85, 22, 22), "b": (1, 85, 22, 22)},
        {"a": (604, 95)},
        {"a": (1, 22, 22, 95), "b": (1, 11, 11, 90)},
        {"a": (1, 3, 44, 44, 85), "b": (1, 3, 22, 22, 85)},
        {"a": (1, 2, 44, 44, 85), "b": (1, 2, 22, 22, 85), "c": (1, 2, 11, 11, 85)},
    ],
)
def test_other_grids_are_none_of_them(outputs: Shapes) -> None:
    assert detect.TASK.infer(signature(PICTURE, outputs)) is None
