"""Keypoints of what a crop shows."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from webbuild.manifest.numbers import Count
from webbuild.manifest.tasks.keypoint import Keypoint
from webbuild.manifest.tasks.keypoint_heads import HeatmapHead, RegressionHead, SimccHead
from webbuild.manifest.tasks.task import Task


class KeypointsTask(Task, tag="keypoints", kw_only=True, frozen=True):
    """Keypoints of what a crop shows, such as a person or a face.

    The result is that of a `PoseTask`: the boxes, scores and classes are those that the crops were cut around. In a
    bundle of one stage it is one box, of the whole picture, whose class is `classes[0]` and whose score is 1.
    """

    head: SimccHead | HeatmapHead | RegressionHead
    classes: list[str]
    keypoints: list[Keypoint]
    skeleton: list[Annotated[list[Count], Meta(min_length=2, max_length=2)]]
