"""An object with what the stages that looked at its crop said of it: each stage keeps what those before it said."""

from __future__ import annotations

from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.decoding.detection import Detection

CROP_ATTRIBUTES = ("keypoints", "classes", "embedding")
"""Fields of what a stage says of a crop, a kind of stage each."""


class CropDetection(Detection, frozen=True, rename="camel"):
    """An object with its keypoints, its best classes, the most probable first, and its unit vector; empty for none.

    `polygon` are the corners of a rotated box, where the detector gives them.
    """

    classes: tuple[ClassScore, ...] = ()
    embedding: tuple[float, ...] = ()
    polygon: tuple[tuple[float, float], ...] = ()
