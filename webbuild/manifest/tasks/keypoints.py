"""Keypoints of the object in a crop."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from webbuild.manifest.numbers import Count
from webbuild.manifest.tasks.keypoint import Keypoint
from webbuild.manifest.tasks.keypoint_heads import HeatmapHead, RegressionHead, SimccHead
from webbuild.manifest.tasks.task import Task


class KeypointsTask(Task, tag="keypoints", kw_only=True, frozen=True):
    """Keypoints of the object in a crop, such as a person or a face.

    The result is like a `PoseTask`'s, with the boxes, scores and classes of the detector that the crops come from. In a
    bundle of one stage there is one box, the whole picture, with the class `classes[0]` and the score 1.
    """

    head: SimccHead | HeatmapHead | RegressionHead
    classes: list[str]
    keypoints: list[Keypoint]
    skeleton: list[Annotated[list[Count], Meta(min_length=2, max_length=2)]]
