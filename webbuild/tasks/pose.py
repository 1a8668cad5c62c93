"""Pose: people, their boxes and their keypoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.facts import ModelFacts
from webbuild.manifest import PoseTask
from webbuild.tasks import ultralytics
from webbuild.tasks._base import Guess, Tensors
from webbuild.tasks.detection import BOX_COLUMNS, Detection, KeypointPosition, read_box
from webbuild.tasks.geometry import Placement


class PoseKind:
    """See `PoseTask` for the layout of a row."""

    kind = "pose"

    def guess(self, facts: ModelFacts, *, asked: bool = False) -> Guess | None:
        """Recognise Ultralytics' pose exports by their metadata."""
        return ultralytics.guess_pose(facts)

    def decode(self, task: PoseTask, outputs: Tensors, placement: Placement | None) -> Sequence[Detection]:
        """Return the people in `task.output` [1, rows, columns], best first."""
        assert placement is not None
        rows = outputs[task.output][0]
        return [_person(task, row, placement) for row in rows[rows[:, 4] > 0]]


def _person(task: PoseTask, row: NDArray[Any], placement: Placement) -> Detection:
    raw = row[BOX_COLUMNS:].reshape(len(task.keypoints), task.keypoint_size)
    points = placement.to_source(raw[:, :2], clamp=False)
    seen = raw[:, 2] if task.keypoint_size == 3 else np.ones(len(raw))
    keypoints = tuple(
        KeypointPosition(keypoint.name, float(x), float(y), float(c))
        for keypoint, (x, y), c in zip(task.keypoints, points, seen, strict=True)
    )
    return Detection(*read_box(task, row, placement), keypoints)


TASK = PoseKind()
