"""The detections of one side as arrays, the common form for comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import ObbTask, PoseTask, RowTask
from webbuild.tasks.decoding.boxes import enclosing_boxes
from webbuild.tasks.decoding.detection import BOX_COLUMNS, Detection, OrientedObject, Segment
from webbuild.tasks.decoding.mask import Mask
from webbuild.tasks.decoding.rotated_boxes import row_corners

Floats = NDArray[np.float64]


class DetectionArrays(Struct, frozen=True):
    """Objects, best first.

    Attributes:
        scores: [n].
        classes: [n], indices.
        boxes: [n, 4], x1 y1 x2 y2; for a rotated box the axis-aligned box around it.
        corners: [n, 4, 2] of rotated boxes, None for axis-aligned boxes.
        keypoints: [n, keypoints, 2 or 3]; keypoints is 0 if the task has none.
        masks: one per object; empty if unknown.
        capacity: the maximum number of objects.
        finite: whether no value is NaN or infinite, including padding rows.
    """

    scores: Floats
    classes: Floats
    boxes: Floats
    corners: Floats | None
    keypoints: Floats
    masks: tuple[Mask, ...]
    capacity: int
    finite: bool

    def __len__(self) -> int:
        return len(self.scores)

    def take(self, chosen: Sequence[int]) -> DetectionArrays:
        """Return the objects at these indices, in this order."""
        at = np.asarray(chosen, np.intp)
        return DetectionArrays(
            self.scores[at],
            self.classes[at],
            self.boxes[at],
            None if self.corners is None else self.corners[at],
            self.keypoints[at],
            tuple(self.masks[i] for i in chosen) if self.masks else (),
            self.capacity,
            self.finite,
        )

    def describe(self, index: int) -> str:
        """Return an object's class, score and box as text."""
        box = ", ".join(f"{value:.1f}" for value in self.boxes[index])
        return f"class {self.classes[index]:.0f}, score {self.scores[index]:.4f}, box ({box})"


def from_rows(task: RowTask, rows: NDArray[Any], masks: Sequence[Mask] = ()) -> DetectionArrays:
    """Return the objects in a task's rows [rows, columns], without padding rows, in pixels of the input.

    `masks` has one mask per row that is not padding.
    """
    real_rows = np.asarray(rows, np.float64)[rows[:, 4] > 0]
    corners = row_corners(real_rows) if isinstance(task, ObbTask) else None
    boxes = real_rows[:, :4] if corners is None else enclosing_boxes(corners)
    shape = (len(task.keypoints), task.keypoint_size) if isinstance(task, PoseTask) else (0, 2)
    keypoints = real_rows[:, BOX_COLUMNS : BOX_COLUMNS + shape[0] * shape[1]].reshape(len(real_rows), *shape)
    finite = bool(np.isfinite(rows).all())
    return DetectionArrays(real_rows[:, 4], real_rows[:, 5], boxes, corners, keypoints, tuple(masks), len(rows), finite)


def from_detections(task: RowTask, detections: Sequence[Detection]) -> DetectionArrays:
    """Return decoded objects, in pixels of the source."""
    boxes = _to_table(4, [(d.box.x1, d.box.y1, d.box.x2, d.box.y2) for d in detections])
    scores = np.array([d.score for d in detections], np.float64)
    corners = _to_table(
        8, [[v for p in d.corners for v in (p.x, p.y)] for d in detections if isinstance(d, OrientedObject)]
    )
    count, size = (len(task.keypoints), task.keypoint_size) if isinstance(task, PoseTask) else (0, 2)
    points = _to_table(
        count * size, [[v for k in d.keypoints for v in (k.x, k.y, k.confidence)[:size]] for d in detections]
    )
    finite = all(bool(np.isfinite(part).all()) for part in (boxes, scores, corners, points))
    return DetectionArrays(
        scores,
        np.array([d.class_index for d in detections], np.float64),
        boxes,
        corners.reshape(-1, 4, 2) if isinstance(task, ObbTask) else None,
        points.reshape(len(detections), count, size),
        tuple(d.mask for d in detections if isinstance(d, Segment)),
        task.rows,
        finite,
    )


def from_boxes(detections: Sequence[Detection], capacity: int) -> DetectionArrays:
    """Return the boxes only, in pixels of the source."""
    boxes = _to_table(4, [(d.box.x1, d.box.y1, d.box.x2, d.box.y2) for d in detections])
    scores, classes = (
        np.array([getattr(d, name) for d in detections], np.float64) for name in ("score", "class_index")
    )
    finite = bool(np.isfinite(boxes).all() and np.isfinite(scores).all())
    return DetectionArrays(scores, classes, boxes, None, np.zeros((len(detections), 0, 2)), (), capacity, finite)


def _to_table(width: int, rows: Sequence[Sequence[float]]) -> Floats:
    return np.array(rows, np.float64).reshape(len(rows), width)
