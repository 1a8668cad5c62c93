"""The slice cases equal what `make_cases` writes, and each of them tests something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.slices.make_cases import (
    FOLDER,
    FOLDERS,
    MADE,
    MADE_MASKED,
    MADE_TURNED,
    masked_cases,
    merge_cases,
    turned_cases,
)
from tests.slices.sahi import merged, slice_boxes
from webbuild.tasks.decoding.rotated_boxes import row_corners


def files(folder: str) -> list[Path]:
    return sorted((FOLDER / folder).glob("*.json"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_files_are_those_of_the_recipe(folder: str) -> None:
    stored = {file.stem: json.loads(file.read_text("utf-8")) for file in files(folder)}
    assert stored == json.loads(json.dumps(FOLDERS[folder]()))


def test_scenes_have_objects_that_are_merged_and_others() -> None:
    cases = [case for name, case in merge_cases().items() if name not in MADE]
    found = sum(len(case["detections"]) for case in cases)
    kept = [(each, case["detections"]) for case in cases for each in case["want"]]
    grown = [each for each, detections in kept if each["box"] != detections[each["detection"]]["box"]]
    assert len(grown) > 20
    assert len(grown) < len(kept) < found


def test_a_box_that_does_not_match_the_grown_one_is_dropped() -> None:
    *_, detections = MADE["grown"]
    columns = [[each[name] for each in detections] for name in ("box", "score", "classIndex")]
    kept = merged(*columns, merge="greedy-nmm", metric="iou", threshold=0.3)
    assert kept == [(0, [2]), (1, [])]


def test_scenes_have_rotated_boxes_that_are_dropped_and_others_that_their_upright_boxes_would_drop() -> None:
    cases = [case for name, case in turned_cases().items() if name not in MADE_TURNED]
    found, kept = (sum(len(case[name]) for case in cases) for name in ("detections", "want"))
    upright = 0
    for case in cases:
        rows = np.array([each["turned"] for each in case["detections"]])
        corners = row_corners(np.c_[rows[:, :4], np.zeros((len(rows), 2)), rows[:, 4]])
        columns = [[each[name] for each in case["detections"]] for name in ("score", "classIndex")]
        rules = {"merge": "nms", "metric": case["metric"], "threshold": case["threshold"]}
        upright += len(merged(np.c_[corners.min(1), corners.max(1)].tolist(), *columns, **rules))
    assert upright + 20 < kept < found - 20


def test_scenes_have_masks_that_are_joined_and_others() -> None:
    cases = [case for name, case in masked_cases().items() if name not in MADE_MASKED]
    kept = [(each, case["detections"][each["detection"]]) for case in cases for each in case["want"]]
    grown = [each for each, one in kept if area(each) > area(one) + 20]
    assert 10 < len(grown) < len(kept) < sum(len(case["detections"]) for case in cases)


def area(one: dict[str, Any]) -> int:
    return "".join(one["mask"]["rows"]).count("1")


@pytest.mark.parametrize(("width", "height"), [(1, 1), (640, 480), (1001, 777), (90, 3000)])
@pytest.mark.parametrize("overlap", [0.0, 0.2, 0.9])
def test_slices_cover_the_picture(width: int, height: int, overlap: float) -> None:
    boxes = slice_boxes(width, height, (300, 200), overlap)
    assert len({tuple(box) for box in boxes}) == len(boxes)
    covered = {(x, y) for left, top, right, bottom in boxes for x in (left, right - 1) for y in (top, bottom - 1)}
    assert {(0, 0), (width - 1, height - 1)} <= covered
    for left, top, right, bottom in boxes:
        assert (right - left, bottom - top) == (min(width, 300), min(height, 200))
