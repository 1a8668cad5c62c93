"""What a detector's outputs for photographs show about its scores and boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx
import pytest

from tests.anchor_heads import SIZE, SPECS
from tests.models import save
from webbuild.compile.measure_detection_head import with_measured_head
from webbuild.manifest.manifest import DetectTask, ImageInput, Letterbox
from webbuild.postprocess.anchors import AnchorPostprocess
from webbuild.postprocess.class_maps import ClassMapsPostprocess
from webbuild.postprocess.postprocess import Postprocess
from webbuild.postprocess.reference_anchors import anchor_boxes
from webbuild.postprocess.yolo import YoloPostprocess
from webbuild.runners.native import NativeRunner
from webbuild.tasks.recognition.grid_detectors import undecoded_grids
from webbuild.tasks.recognition.yolo import DECODED_NOTE, OFFSETS_NOTE
from webbuild.tasks.task_match import TaskMatch

SSD = msgspec.structs.replace(SPECS["ssd"], keypoints=(), activation="none", decodable=True)
PAIR = SPECS["corners"]


def measured(
    spec: AnchorPostprocess, scores: np.ndarray[Any, Any], boxes: np.ndarray[Any, Any], tmp_path: Path
) -> TaskMatch | None:
    names = {spec.scores[0].output: scores, spec.boxes[0].output: boxes}
    return answered(spec, names, tmp_path, [f"class {index}" for index in range(spec.classes)])


def answered(
    spec: Postprocess,
    names: dict[str, np.ndarray[Any, Any]],
    tmp_path: Path,
    classes: list[str],
    *,
    guessed: bool = False,
    said: tuple[str, ...] = (),
) -> TaskMatch | None:
    """Return the recognition of a model that gives this output for any image."""
    nodes = [onnx.helper.make_node("ReduceMin", ["input"], ["least"], keepdims=0)]
    nodes += [onnx.helper.make_node("Mul", ["least", "zero"], ["nothing"])]
    nodes += [onnx.helper.make_node("Add", ["nothing", f"{name}_c"], [name]) for name in names]
    tensor = onnx.helper.make_tensor_value_info
    constants = {**{f"{name}_c": array for name, array in names.items()}, "zero": np.zeros((), np.float32)}
    graph = onnx.helper.make_graph(
        nodes,
        "g",
        [tensor("input", 1, [1, 3, *SIZE])],
        [tensor(name, 1, array.shape) for name, array in names.items()],
        [onnx.numpy_helper.from_array(array.astype(np.float32), name) for name, array in constants.items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    image = ImageInput(
        name="input", shape=[1, 3, *SIZE], scale=1.0, mean=[0.0] * 3, std=[1.0] * 3, letterbox=Letterbox()
    )
    task = DetectTask(output="detections", rows=9, classes=classes)
    match = TaskMatch(task, (image,), said, spec, guessed=guessed)
    return with_measured_head(match, NativeRunner(save(model, tmp_path / "m.onnx")))


def corners(count: int) -> np.ndarray[Any, Any]:
    draw = np.random.default_rng(0)
    first = draw.uniform(0, 0.7, (1, count, 2))
    return np.concatenate([first, first + draw.uniform(0.05, 0.3, (1, count, 2))], 2)


def shares(count: int, columns: int, nothing: float) -> np.ndarray[Any, Any]:
    powers = np.exp(np.random.default_rng(1).normal(0, 1, (1, count, columns)) + nothing * (np.arange(columns) == 0))
    return np.asarray(powers / powers.sum(2, keepdims=True))


def spec_of(match: TaskMatch | None) -> AnchorPostprocess:
    assert match is not None
    assert isinstance(match.postprocess, AnchorPostprocess)
    return match.postprocess


def around_anchors() -> np.ndarray[Any, Any]:
    centre = anchor_boxes(SSD)[0] / SIZE[::-1]
    return np.concatenate([centre - 0.1, centre + 0.1], 1)[None]


def test_boxes_about_their_anchors_are_decoded_already(tmp_path: Path) -> None:
    found = spec_of(measured(SSD, shares(80, 4, 6), around_anchors(), tmp_path))
    assert (found.coding, found.parts, found.levels, found.activation) == ("corners", True, (), "none")


def test_corners_beyond_the_input_are_in_pixels(tmp_path: Path) -> None:
    found = spec_of(measured(SSD, shares(80, 4, 6), around_anchors() * 64, tmp_path))
    assert (found.coding, found.parts) == ("corners", False)


def test_boxes_in_order_that_lie_anywhere_are_to_be_decoded(tmp_path: Path) -> None:
    assert spec_of(measured(SSD, shares(80, 4, 6), corners(80), tmp_path)).coding == "exponential"


@pytest.mark.parametrize(("background", "activation"), [(True, "softmax"), (False, "sigmoid")])
def test_scores_outside_of_0_to_1_are_logits(background: bool, activation: str, tmp_path: Path) -> None:
    spec = msgspec.structs.replace(SSD, background=background)
    logits = np.random.default_rng(0).normal(0, 5, (1, 80, 4))
    assert spec_of(measured(spec, logits, around_anchors(), tmp_path)).activation == activation


def test_a_first_class_that_mostly_wins_is_nothing(tmp_path: Path) -> None:
    found = measured(PAIR, shares(40, 2, 6), corners(40), tmp_path)
    assert (spec_of(found).background, spec_of(found).classes) == (True, 1)
    assert found is not None
    assert isinstance(found.task, DetectTask)
    assert found.task.classes == ["class 1"]


def test_scores_that_do_not_add_up_are_all_of_classes(tmp_path: Path) -> None:
    found = spec_of(measured(PAIR, np.full((1, 40, 2), 0.3), corners(40), tmp_path))
    assert (found.background, found.classes, found.activation) == (False, 2, "none")


def test_a_pair_whose_boxes_are_no_corners_is_no_detector(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).normal(0, 1, (1, 40, 4))
    assert measured(PAIR, shares(40, 2, 6), numbers, tmp_path) is None


def yolo(table: np.ndarray[Any, Any], tmp_path: Path, *, guessed: bool = True) -> TaskMatch | None:
    spec = YoloPostprocess(output="raw", layout="rows", size=SIZE, classes=2)
    return answered(spec, {"raw": table[None]}, tmp_path, ["a", "b"], guessed=guessed)


def yolo_rows(highest: float, reach: float = 1) -> np.ndarray[Any, Any]:
    draw = np.random.default_rng(0)
    parts = (
        draw.uniform(0, reach, (42, 2)) * SIZE[::-1],
        draw.uniform(4, 20, (42, 2)),
        draw.uniform(0, highest, (42, 3)),
    )
    return np.concatenate(parts, 1)


def test_a_yolo_that_nobody_named_has_scores_and_boxes_all_over_its_input(tmp_path: Path) -> None:
    assert yolo(yolo_rows(1), tmp_path) is not None
    assert yolo(yolo_rows(9), tmp_path) is None
    assert yolo(yolo_rows(1, reach=0.01), tmp_path) is None
    assert yolo(yolo_rows(1, reach=9), tmp_path) is None
    assert yolo(yolo_rows(9), tmp_path, guessed=False) is not None


def face_rows(pixels: int, classes: int) -> np.ndarray[Any, Any]:
    """Return YOLO rows with coordinates in pixels between objectness and class scores."""
    rows = yolo_rows(1)
    draw = np.random.default_rng(1)
    return np.concatenate([rows[:, :5], draw.uniform(0, 40, (42, pixels)), draw.uniform(0, 1, (42, classes))], 1)


def test_keypoints_between_objectness_and_class_scores_are_left_out(tmp_path: Path) -> None:
    spec = YoloPostprocess(output="raw", layout="rows", size=SIZE, classes=10)
    answers = {"raw": face_rows(8, 2)[None]}
    found = answered(spec, answers, tmp_path, [f"class {index}" for index in range(10)], guessed=True)
    assert found is not None
    assert isinstance(found.postprocess, YoloPostprocess)
    assert isinstance(found.task, DetectTask)
    assert (found.postprocess.skipped_columns, found.postprocess.classes) == (8, 2)
    assert found.postprocess.row_width == spec.row_width
    assert found.task.classes == ["class 0", "class 1"]


@pytest.mark.parametrize(("pixels", "classes"), [(7, 3), (2, 8), (10, 0)], ids=["odd", "one point", "no class"])
def test_other_numbers_outside_of_0_and_1_are_no_keypoints(pixels: int, classes: int, tmp_path: Path) -> None:
    spec = YoloPostprocess(output="raw", layout="rows", size=SIZE, classes=pixels + classes)
    answers = {"raw": face_rows(pixels, classes)[None]}
    assert answered(spec, answers, tmp_path, ["?"] * spec.classes, guessed=True) is None


def grid(scores: np.ndarray[Any, Any], objectness: float, tmp_path: Path, *, guessed: bool = True) -> TaskMatch | None:
    """Return the recognition of FastestDet's maps [1, 9, 4, 8] with these class scores [32, 4]."""
    rest = [np.full((32, 1), objectness), np.full((32, 4), -2.0), scores]
    maps = np.concatenate(rest, 1).T.reshape(1, 9, 4, 8)
    spec = msgspec.structs.replace(SPECS["fastestdet"], exclusive=True, sigmoid_boxes=False)
    return answered(spec, {"grid": maps}, tmp_path, list("abcd"), guessed=guessed)


def test_a_grid_is_mostly_empty_and_its_classes_add_up(tmp_path: Path) -> None:
    classes = shares(32, 4, 0)[0]
    assert spec_of(grid(classes, 0.1, tmp_path)).sigmoid_boxes
    assert grid(classes / 2, 0.1, tmp_path) is None, "scores of a cell that add up to a half"
    assert grid(classes, 0.9, tmp_path) is None, "something in every cell"
    assert grid(classes, -3, tmp_path) is None, "an objectness that is none"
    assert grid(classes / 2, 0.9, tmp_path, guessed=False) is not None, "somebody said that it is one"


@pytest.mark.parametrize("logits", [True, False])
def test_whether_boxes_are_probabilities_yet_is_measured(logits: bool, tmp_path: Path) -> None:
    spec = msgspec.structs.replace(SPECS["yolo-fastestv2"], exclusive=True)
    table = np.full((40, 13), 0.1)
    table[:, :8] = np.random.default_rng(0).uniform(-4 if logits else 0, 4 if logits else 1, (40, 8))
    table[:, 10:] = 1 / 3
    assert spec_of(answered(spec, {"both": table}, tmp_path, list("abc"), guessed=True)).sigmoid_boxes is logits


def offsets(box: np.ndarray[Any, Any], tmp_path: Path, *, guessed: bool) -> TaskMatch | None:
    """Return the recognition of YOLOv5's rows at 32 x 64 with these boxes [126, 4]."""
    scores = np.random.default_rng(1).uniform(0, 0.2, (126, 3))
    spec = YoloPostprocess(output="raw", layout="rows", size=SIZE, classes=2)
    raw = {"raw": np.concatenate([box, scores], 1)[None]}
    return answered(spec, raw, tmp_path, ["a", "b"], guessed=guessed, said=(f"rows; {DECODED_NOTE}", "classes"))


@pytest.mark.parametrize("guessed", [True, False])
def test_rows_of_shares_are_offsets_in_cells(guessed: bool, tmp_path: Path) -> None:
    found = offsets(np.random.default_rng(0).uniform(0, 1, (126, 4)), tmp_path, guessed=guessed)
    spec = spec_of(found)
    assert (spec.coding, spec.sigmoid_boxes, spec.activation) == ("yolov5", False, "none")
    assert [(each.start, each.stop) for each in spec.boxes] == [(0, 96), (96, 120), (120, 126)]
    assert found is not None
    assert found.assumptions[:2] == (f"rows; {OFFSETS_NOTE}", "classes")


def test_centres_in_parts_of_the_input_are_no_offsets(tmp_path: Path) -> None:
    spec = undecoded_grids(YoloPostprocess(output="raw", layout="rows", size=SIZE, classes=2))
    assert spec is not None
    centre = anchor_boxes(spec)[0] / SIZE[::-1]
    box = np.concatenate([centre, np.random.default_rng(0).uniform(0.1, 0.4, (126, 2))], 1)
    assert offsets(box, tmp_path, guessed=True) is None
    told = offsets(box, tmp_path, guessed=False)
    assert told is not None
    assert isinstance(told.postprocess, YoloPostprocess)


def test_the_rows_of_other_layouts_are_no_grids() -> None:
    for spec in (
        YoloPostprocess(output="raw", layout="columns", size=SIZE, classes=2),
        YoloPostprocess(output="raw", layout="rows", size=SIZE, classes=2, strides=(8, 16, 32)),
    ):
        assert undecoded_grids(spec) is None


@pytest.mark.parametrize(("lowest", "highest", "threshold"), [(0, 1, 0.5), (-4, 4, 0.0)])
def test_a_mask_of_logits_has_another_threshold(
    lowest: float, highest: float, threshold: float, tmp_path: Path
) -> None:
    mask = np.random.default_rng(0).uniform(lowest, highest, (1, *SIZE, 1))
    spec = ClassMapsPostprocess(output="mask", channels_last=True, classes=2, threshold=9)
    found = answered(spec, {"mask": mask}, tmp_path, ["a", "b"])
    assert found is not None
    assert isinstance(found.postprocess, ClassMapsPostprocess)
    assert found.postprocess.threshold == threshold
