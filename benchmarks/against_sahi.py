"""How often SAHI 0.12.8 agrees with the conformance cases of sliced inference: `python -m benchmarks.against_sahi`.

For rotated boxes, SAHI's algorithm runs with shapely's overlaps of the rotated boxes. Two masks agree if 95 % of their
pixels do: SAHI merges masks as polygons, which lose parts that are one pixel wide.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sahi.postprocess._numpy_backend import _score_tiebreak_order, nms_from_matrix
from sahi.postprocess.combine import GreedyNMMPostprocess, NMSPostprocess
from sahi.prediction import ObjectPrediction
from sahi.slicing import get_slice_bboxes
from sahi.utils.cv import get_coco_segmentation_from_bool_mask
from shapely.geometry import Polygon

from tests.slices.answers import box_around, boxes_wanted, masks_wanted, outermost, pixels_of, turned_wanted
from tests.slices.sahi import slice_boxes
from tests.slices.scenes import masked_scene, scene, turned_scene
from webbuild.tasks.decoding.rotated_boxes import row_corners

SCENES = 1000
SHAPE = [420, 420]
SAME_PIXELS = 0.95


def predicted(case: dict[str, Any]) -> list[Any]:
    """Return SAHI's result for the detections of a case."""
    columns = []
    for each in case["detections"]:
        segmentation = None
        if "mask" in each:
            segmentation = get_coco_segmentation_from_bool_mask(whole_mask(each["mask"]))
        about = {"score": each["score"], "category_id": each["classIndex"], "category_name": "thing"}
        columns.append(ObjectPrediction(bbox=each["box"], segmentation=segmentation, full_shape=SHAPE, **about))
    kind = NMSPostprocess if case["merge"] == "nms" else GreedyNMMPostprocess
    rules = {"match_metric": case["metric"].upper(), "match_threshold": case["threshold"], "class_agnostic": False}
    return list(kind(**rules)(columns)) if columns else []


def same_boxes(seed: int) -> bool:
    """Whether SAHI keeps the same boxes of a scene."""
    case = scene(seed)
    wanted = [(round(case["detections"][each["detection"]]["score"], 4), each["box"]) for each in boxes_wanted(case)]
    got = [
        (round(float(each.score.value), 4), [float(value) for value in each.bbox.to_xyxy()]) for each in predicted(case)
    ]
    return sorted(wanted) == sorted(got)


def same_turned(seed: int) -> bool:
    """Whether SAHI's NMS keeps the same rotated boxes, with shapely's overlaps."""
    case = turned_scene(seed)
    rows = np.array([each["turned"] for each in case["detections"]])
    corners = row_corners(np.c_[rows[:, :4], np.zeros((len(rows), 2)), rows[:, 4]])
    shapes = [Polygon(each) for each in corners]
    matrix = np.zeros((len(rows), len(rows)), np.float32)
    for a, b in np.ndindex(*matrix.shape):
        one, other = shapes[a], shapes[b]
        shared = one.intersection(other).area if one.area and other.area else 0.0
        whole = min(one.area, other.area) if case["metric"] == "ios" else one.area + other.area - shared
        matrix[a, b] = shared / whole if whole else 0.0
    scores = np.array([each["score"] for each in case["detections"]], np.float32)
    classes = np.array([each["classIndex"] for each in case["detections"]])
    kept = list[int]()
    for kind in np.unique(classes):
        own = np.flatnonzero(classes == kind)
        order = _score_tiebreak_order(*corners[own].min(1).T, *corners[own].max(1).T, scores[own])
        kept += own[nms_from_matrix(matrix[np.ix_(own, own)], order, case["threshold"])].tolist()
    return sorted(kept) == sorted(turned_wanted(case))


def same_masks(seed: int) -> bool:
    """Whether SAHI keeps the same objects of a scene, with the same masks except where outlines cross."""
    case = masked_scene(seed)
    wanted, got = masks_wanted(case), predicted(case)
    if len(wanted) != len(got):
        return False
    for each in wanted:
        score, place = case["detections"][each["detection"]]["score"], outermost(each["mask"]) or each["box"]
        near = [
            other.mask.bool_mask
            for other in got
            if np.isclose(other.score.value, score) and np.abs(np.subtract(other.bbox.to_xyxy(), place)).max() <= 1
        ]
        ours = whole_mask(each["mask"])
        if not any((ours & theirs).sum() >= SAME_PIXELS * (ours | theirs).sum() for theirs in near):
            return False
    return True


def whole_mask(mask: dict[str, Any]) -> NDArray[np.bool_]:
    """Return a mask in the size of the whole picture."""
    x, y, pixels = pixels_of(mask)
    whole = np.zeros(SHAPE, bool)
    whole[y : y + pixels.shape[0], x : x + pixels.shape[1]] = pixels
    return whole


def same_grid(seed: int) -> bool:
    """Whether SAHI cuts a picture into the same slices."""
    random = np.random.default_rng(seed)
    width, height, across, down = (int(value) for value in random.integers(1, 900, 4))
    overlap = float(random.choice([0, 0.1, 0.2, 0.25, 0.29, 0.5, 0.9, 0.99]))
    wide, high = max(across // 2, width // 20 + 1), max(down // 2, height // 20 + 1)
    wanted = slice_boxes(width, height, (wide, high), overlap)
    return bool(wanted == get_slice_bboxes(height, width, high, wide, False, overlap, overlap))


if __name__ == "__main__":
    assert box_around([[0, 0, 1, 1], [2, 2, 3, 3]]) == [0, 0, 3, 3]
    for name, same in (("grids", same_grid), ("boxes", same_boxes), ("rotated", same_turned), ("masks", same_masks)):
        other = [seed for seed in range(1, SCENES + 1) if not same(seed)]
        print(f"{name}: {SCENES - len(other)} of {SCENES} scenes agree", other[:10])
