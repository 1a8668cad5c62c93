"""Obb (oriented bounding boxes): objects and their rotated boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import ObbTask
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.boxes import enclosing_boxes
from webbuild.tasks.decoding.detection import Box, OrientedObject, Point, count_classes, decode_class
from webbuild.tasks.decoding.rotated_boxes import row_corners
from webbuild.tasks.kind.row_kind import RowKind
from webbuild.tasks.recognition import ultralytics
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import OBJECT_FUNCTIONS, TypeNames


class ObbKind(RowKind):
    """See `ObbTask` for the layout of a row."""

    spec = ObbTask
    page_template = "detections"
    result_field = "objects"
    detection_type = OrientedObject
    description = "Finds things, in boxes that turn with them"
    required_signature = "the metadata of Ultralytics' exporter, and one output of rows with an angle"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize Ultralytics' exports of rotated boxes with `nms=True` by their metadata."""
        return ultralytics.infer_obb(signature)

    def decode(self, task: ObbTask, outputs: Tensors, context: RunContext) -> Sequence[OrientedObject]:
        """Return the objects in `task.output` [1, rows, 7], best first."""
        if context.placement is None:
            return ()
        rows = outputs[task.output][0]
        return [_decode_row(task, row, context.placement) for row in rows[rows[:, 4] > 0]]

    def box_sides(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return width and height [n, 2] of the rotated boxes in rows [n, columns]."""
        return np.asarray(rows[:, 2:4])

    def summary(self, task: ObbTask, pictures: int) -> str:
        """Return what the model does."""
        return f"Finds {count_classes(task.classes)} and their orientation."

    def typescript(self, task: ObbTask) -> TypeNames:
        """Return the names of the objects and of their classes."""
        return TypeNames("objects", "OrientedObject", task.classes, functions=OBJECT_FUNCTIONS, merges=("nms",))


def _decode_row(task: ObbTask, row: NDArray[Any], placement: ImagePlacement) -> OrientedObject:
    """Return the object of a row. The box is measured in the source: a stretched picture changes sides and angle."""
    corners = placement.to_source(row_corners(row[None])[0], clamp=False)
    edges = placement.to_source(enclosing_boxes(row_corners(row[None]))[0].reshape(2, 2), clamp=True)
    (across, along), (sideways, down) = (corners[1] - corners[0]).tolist(), (corners[3] - corners[0]).tolist()
    return OrientedObject(
        Box(*edges.ravel().tolist()),
        *decode_class(task, row),
        center=Point(*placement.to_source(row[:2], clamp=False).tolist()),
        width=math.hypot(across, along),
        height=math.hypot(sideways, down),
        angle=math.atan2(along, across),
        corners=tuple(Point(x, y) for x, y in corners.tolist()),
    )


TASK = ObbKind()
