"""Anchor decoding checked by hand: each coding gives the box that the detector's own code gives."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tests.anchor_heads import LEVELS, SPECS, Outputs, random_outputs
from webbuild.postprocess.anchors import AnchorPostprocess
from webbuild.postprocess.reference_anchors import decode_anchor_boxes, decode_anchor_scores, reference_anchors

CELL = 10
"""Of the first level, 4 rows of 8 columns: column 2 of row 1."""


def row(spec: AnchorPostprocess, outputs: Outputs, index: int) -> list[float]:
    return [float(value) for value in decode_anchor_boxes(spec, outputs)[index]]


def test_yunets_box_is_a_cell_and_logarithms() -> None:
    outputs = random_outputs(SPECS["yunet"])
    outputs["bbox_8"][0, CELL] = 0.5, 0.25, np.log(3), np.log(2)
    assert row(SPECS["yunet"], outputs, CELL) == pytest.approx([(2 + 0.5) * 8, (1 + 0.25) * 8, 24, 16])


def test_yunets_score_is_the_root_of_a_product() -> None:
    outputs = random_outputs(SPECS["yunet"])
    outputs["cls_8"][0, CELL], outputs["obj_8"][0, CELL] = 0.9, 0.4
    assert decode_anchor_scores(SPECS["yunet"], outputs)[CELL, 0] == pytest.approx(0.6)


def test_scrfds_box_is_four_distances_from_a_corner_of_its_cell() -> None:
    outputs = random_outputs(SPECS["scrfd"])
    outputs["box_8"][0, 2 * CELL + 1] = 1, 0.5, 2, 0.5
    # the second anchor of the cell at (16, 8), 16 pixels wide and high
    assert row(SPECS["scrfd"], outputs, 2 * CELL + 1) == pytest.approx([(0 + 48) / 2, (0 + 16) / 2, 48, 16])


def test_blazefaces_box_is_in_pixels_from_the_middle_of_its_cell() -> None:
    spec = msgspec.structs.replace(
        SPECS["blazeface"],
        levels=tuple(msgspec.structs.replace(each, sizes=((1.0, 1.0),) * 2) for each in SPECS["blazeface"].levels),
    )
    outputs = random_outputs(spec)
    outputs["regressors"][0, 2 * CELL, :4] = 3, -4, 30, 40
    assert row(spec, outputs, 2 * CELL) == pytest.approx([20 + 3, 12 - 4, 30, 40])


def test_an_ssds_box_is_in_tenths_and_fifths_of_its_anchor() -> None:
    outputs = random_outputs(SPECS["ssd"])
    outputs["loc"][0, 2 * CELL + 1] = 1, -1, 5 * np.log(2), 0
    assert row(SPECS["ssd"], outputs, 2 * CELL + 1) == pytest.approx([20 + 1.6, 12 - 1.6, 32, 16])


def test_the_first_class_of_an_ssd_is_nothing() -> None:
    outputs = random_outputs(SPECS["ssd"])
    outputs["conf"][0, CELL] = np.log([4, 1, 3, 2])
    assert decode_anchor_scores(SPECS["ssd"], outputs)[CELL] == pytest.approx([0.1, 0.3, 0.2])


def test_nanodets_sides_are_means_of_distributions() -> None:
    outputs = random_outputs(SPECS["nanodet"])
    sides = np.full((4, 8), -50, np.float32)
    sides[[0, 1, 2, 3], [1, 0, 3, 2]] = 50
    outputs["out"][0, CELL, 5:] = sides.ravel()
    assert row(SPECS["nanodet"], outputs, CELL) == pytest.approx([(8 + 40) / 2, (8 + 24) / 2, 32, 16])


def test_fastestdets_box_is_a_tangent_in_its_cell_and_a_part_of_the_input() -> None:
    spec = SPECS["fastestdet"]
    outputs = random_outputs(spec)
    outputs["grid"][0, :5, 1, 2] = 0.5, np.arctanh(0.5), np.arctanh(-0.25), 0, np.log(3)
    assert row(spec, outputs, CELL) == pytest.approx([(2 + 0.5) * 8, (1 - 0.25) * 8, 32, 24])


def test_fastestdets_score_is_mostly_its_objectness() -> None:
    outputs = random_outputs(SPECS["fastestdet"])
    outputs["grid"][0, 0, 1, 2], outputs["grid"][0, 5:, 1, 2] = 0.5, (0.9, 0.1, 0, 0)
    scores = decode_anchor_scores(SPECS["fastestdet"], outputs)
    assert scores[CELL, :2] == pytest.approx([0.5**0.6 * 0.9**0.4, 0.5**0.6 * 0.1**0.4])


def test_yolo_fastestv2_has_the_classes_of_a_cell_once() -> None:
    spec = SPECS["yolo-fastestv2"]
    outputs = random_outputs(spec)
    # second anchor of the first grid, 16 x 20 pixels
    outputs["both"][CELL, 4:8] = 0.75, 0.5, 0.5, 0.25
    outputs["both"][CELL, 8:] = 0.2, 0.8, 0.5, 0.25, 0.25
    assert row(spec, outputs, 32 + CELL) == pytest.approx([(2 + 1) * 8, (1 + 0.5) * 8, 16, 5])
    assert decode_anchor_scores(spec, outputs)[32 + CELL] == pytest.approx([0.4, 0.2, 0.2])
    assert decode_anchor_scores(spec, outputs)[CELL] == pytest.approx([0.1, 0.05, 0.05])


def test_the_grids_of_yolov5_have_one_anchor_after_the_other() -> None:
    spec = SPECS["grids of yolov5"]
    outputs = random_outputs(spec)
    outputs["large"][0, 1, 1, 2] = 0, 0, 0, np.log(3), 0, 0, np.log(3)
    index = 2 * 32 + 8 + 4 + 2
    assert row(spec, outputs, index) == pytest.approx([(2 + 0.5) * 16, (1 + 0.5) * 16, 30, 2.25 * 30])
    assert decode_anchor_scores(spec, outputs)[index] == pytest.approx([0.25, 0.375])


def test_corners_in_parts_are_scaled_by_the_input() -> None:
    outputs = random_outputs(SPECS["corners"])
    outputs["boxes"][0, 3] = 0.25, 0.5, 0.5, 1
    assert row(SPECS["corners"], outputs, 3) == pytest.approx([24, 24, 16, 16])


def test_rows_hold_box_score_class_and_keypoints_best_first() -> None:
    spec = SPECS["yunet"]
    outputs = {name: np.zeros_like(array) for name, array in random_outputs(spec).items()}
    outputs["cls_16"][0, 5] = outputs["obj_16"][0, 5] = 0.9
    outputs["cls_32"][0, 1] = outputs["obj_32"][0, 1] = 0.7
    outputs["kps_16"][0, 5, :2] = 0.5, 0.25
    rows = reference_anchors(spec, outputs, 0.5, 0.3)[0]
    assert rows.shape == (sum(level.anchors for level in LEVELS), 16)
    # column 1, row 1 of stride 16: centre 16 16, size 16
    assert rows[0, :8] == pytest.approx([8, 8, 24, 24, 0.9, 0, 16 + 8, 16 + 4])
    assert rows[1, :6] == pytest.approx([16, -16, 48, 16, 0.7, 0])
    assert not rows[2:].any()
