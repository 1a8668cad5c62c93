"""Expected results for the slice cases: the kept detections, best first, and their merged boxes and masks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.slices.sahi import merged, union
from tests.slices.scenes import written
from webbuild.tasks.decoding.rotated_boxes import row_corners

Pixels = NDArray[np.bool_]


def boxes_wanted(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the index of each kept detection, and the box around it and the detections merged into it."""
    boxes = [each["box"] for each in case["detections"]]
    return [
        {"detection": best, "box": box_around([boxes[best], *(boxes[other] for other in joined)])}
        for best, joined in merged(boxes, *scores_and_classes(case), **rules(case))
    ]


def turned_wanted(case: dict[str, Any]) -> list[int]:
    """Return the indices of the rotated boxes that are kept."""
    rows = np.array([each["turned"] for each in case["detections"]]).reshape(-1, 5)
    corners = row_corners(np.c_[rows[:, :4], np.zeros((len(rows), 2)), rows[:, 4]])
    boxes = np.c_[corners.min(1), corners.max(1)].tolist()
    kept = merged(boxes, *scores_and_classes(case), **rules(case), merge="nms", corners=corners.tolist())
    return [best for best, _ in kept]


def masks_wanted(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each kept detection's index, box and mask; a mask merged from several has one cell per pixel."""
    detections, wanted = case["detections"], []
    boxes = [outermost(each["mask"]) or each["box"] for each in detections]
    for best, joined in merged(boxes, *scores_and_classes(case), **rules(case)):
        together = [detections[number] for number in (best, *joined)]
        box = box_around([each["box"] for each in together])
        mask = joined_mask([each["mask"] for each in together]) if joined else together[0]["mask"]
        wanted.append({"detection": best, "box": box, "mask": mask})
    return wanted


def rules(case: dict[str, Any]) -> dict[str, Any]:
    return {name: case[name] for name in ("merge", "metric", "threshold") if name in case}


def scores_and_classes(case: dict[str, Any]) -> tuple[list[float], list[int]]:
    return tuple([each[name] for each in case["detections"]] for name in ("score", "classIndex"))  # type: ignore[return-value]


def box_around(boxes: list[list[float]]) -> list[float]:
    around = [float(value) for value in boxes[0]]
    for box in boxes[1:]:
        around = union(around, box)
    return around


def pixels_of(mask: dict[str, Any]) -> tuple[int, int, Pixels]:
    """Return the origin of the pixels whose centres are in the mask's rectangle, and which of them are in the mask."""
    cells = np.array([[cell == "1" for cell in row] for row in mask["rows"]], bool).reshape(len(mask["rows"]), -1)
    places, picked = [], []
    for start, count in ((mask["x"], cells.shape[1]), (mask["y"], cells.shape[0])):
        first, end = (int(np.ceil(edge - 0.5)) for edge in (start, start + count * mask["cell"]))
        places.append(first)
        picked.append(np.floor((np.arange(first, end) + 0.5 - start) / mask["cell"]).astype(int))
    return places[0], places[1], cells[np.ix_(picked[1], picked[0])]


def outermost(mask: dict[str, Any]) -> list[float] | None:
    """Return the outermost pixels of the mask's cells, the extent of SAHI's polygons; None for an empty mask."""
    cells = np.array([[cell == "1" for cell in row] for row in mask["rows"]], bool).reshape(len(mask["rows"]), -1)
    ends = []
    for start, axis in ((mask["x"], 0), (mask["y"], 1)):
        held = np.flatnonzero(cells.any(axis))
        if len(held) == 0:
            return None
        first, end = (np.ceil(start + place * mask["cell"] - 0.5) for place in (held[0], held[-1] + 1))
        ends.append((float(first), float(end - 1)))
    return [ends[0][0], ends[1][0], ends[0][1], ends[1][1]]


def joined_mask(masks: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the union of the masks."""
    parts = [pixels_of(mask) for mask in masks]
    left, top = min(x for x, _, _ in parts), min(y for _, y, _ in parts)
    right = max(x + pixels.shape[1] for x, _, pixels in parts)
    bottom = max(y + pixels.shape[0] for _, y, pixels in parts)
    whole = np.zeros((bottom - top, right - left), bool)
    for x, y, pixels in parts:
        whole[y - top : y - top + pixels.shape[0], x - left : x - left + pixels.shape[1]] |= pixels
    return {"x": left, "y": top, "cell": 1, "rows": written(whole)}
