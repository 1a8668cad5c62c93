"""Pose estimation: people and their keypoints."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.keypoint import Keypoint
from webbuild.manifest.tasks.task import Task


class PoseTask(Task, tag="pose", kw_only=True, frozen=True):
    """Pose estimation: people and their keypoints.

    Rows of `output` [1, rows, 6 + keypoints * keypoint_size]: x1 y1 x2 y2 in input pixels, score, class index, then per
    keypoint x y in input pixels and, if keypoint_size is 3, its confidence. A row with the score 0 is padding; rows are
    sorted by descending score.
    """

    output: OutputName
    rows: Count
    classes: list[str]
    keypoints: list[Keypoint]
    keypoint_size: Literal[2, 3]
    skeleton: list[Annotated[list[Count], Meta(min_length=2, max_length=2)]]
