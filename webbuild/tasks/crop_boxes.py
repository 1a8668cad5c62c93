"""What an earlier stage found, as boxes that crops are cut around."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.preprocess.crop_box import CropBox
from webbuild.tasks.detection import Detection


def crop_boxes(found: Sequence[Detection]) -> list[CropBox]:
    """Return a box for each object, in their order, with its keypoints for a template to align."""
    return [
        CropBox(
            (each.box.x1, each.box.y1, each.box.x2, each.box.y2),
            each.score,
            each.class_index,
            each.label,
            tuple((point.x, point.y) for point in each.keypoints),
        )
        for each in found
    ]
