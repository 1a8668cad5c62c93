"""Pose: people, their boxes and their keypoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import PoseTask
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.detection import BOX_COLUMNS, Detection, KeypointPosition, count_classes, decode_box
from webbuild.tasks.kind.row_kind import RowKind
from webbuild.tasks.recognition import ultralytics
from webbuild.tasks.recognition.anchor_detectors import infer_anchor_detector
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import MERGES, OBJECT_FUNCTIONS, TypeNames


class PoseKind(RowKind):
    """See `PoseTask` for the layout of a row."""

    spec = PoseTask
    page_template = "detections"
    result_field = "poses"
    description = "Finds people and their keypoints"
    required_signature = (
        "the metadata of Ultralytics' exporter and one output of rows with keypoints, or a detector of faces "
        "or palms with an output of keypoints"
    )

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize Ultralytics' pose exports by their metadata; if requested, face detectors by their outputs."""
        known = ultralytics.infer_pose(signature)
        return known or (infer_anchor_detector(signature, requested=True, keypoints=True) if requested else None)

    def decode(self, task: PoseTask, outputs: Tensors, context: RunContext) -> Sequence[Detection]:
        """Return the people in `task.output` [1, rows, columns], best first."""
        if context.placement is None:
            return ()
        rows = outputs[task.output][0]
        return [_decode_row(task, row, context.placement) for row in rows[rows[:, 4] > 0]]

    def summary(self, task: PoseTask, pictures: int) -> str:
        """Return what the model does."""
        return f"Finds {count_classes(task.classes)} and {len(task.keypoints)} keypoints on each."

    def typescript(self, task: PoseTask) -> TypeNames:
        """Return the names of the people, of their classes and keypoints."""
        keypoints = [keypoint.name for keypoint in task.keypoints]
        return TypeNames("poses", "Pose", task.classes, keypoints=keypoints, functions=OBJECT_FUNCTIONS, merges=MERGES)

    def skeleton(self, task: PoseTask) -> Sequence[Sequence[int]]:
        """Return the limbs."""
        return task.skeleton


def _decode_row(task: PoseTask, row: NDArray[Any], placement: ImagePlacement) -> Detection:
    raw = row[BOX_COLUMNS:].reshape(len(task.keypoints), task.keypoint_size)  # [keypoints, 2 or 3]
    points = placement.to_source(raw[:, :2], clamp=False)
    confidences = raw[:, 2] if task.keypoint_size == 3 else np.ones(len(raw))
    keypoints = tuple(
        KeypointPosition(keypoint.name, float(x), float(y), float(c))
        for keypoint, (x, y), c in zip(task.keypoints, points, confidences, strict=True)
    )
    return Detection(*decode_box(task, row, placement), keypoints)


TASK = PoseKind()
