"""Crop boxes: the detections of an earlier stage, as boxes to crop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webbuild.manifest.manifest import Task
from webbuild.preprocess.crop_box import CropBox
from webbuild.tasks.decoding.crop_detection import CROP_ATTRIBUTES
from webbuild.tasks.registry import kind_of


def crop_boxes(task: Task, prediction: Sequence[Any]) -> list[CropBox]:
    """Return a box for each object, in order, with its keypoints for alignment and the attributes found so far."""
    return [
        CropBox(
            (each.box.x1, each.box.y1, each.box.x2, each.box.y2),
            each.score,
            each.class_index,
            each.label,
            tuple((point.x, point.y) for point in each.keypoints),
            {name: value for name in CROP_ATTRIBUTES if (value := getattr(each, name, ()))},
            getattr(each, "polygon", ()),
        )
        for each in kind_of(task).found_objects(prediction)
    ]
