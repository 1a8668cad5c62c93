"""A detection with the attributes that crop stages add; each stage keeps those of earlier stages."""

from __future__ import annotations

from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.decoding.detection import Detection

CROP_ATTRIBUTES = ("keypoints", "classes", "embedding")
"""Fields that crop stages fill in, one per kind of stage."""


class CropDetection(Detection, frozen=True, rename="camel"):
    """An object with its keypoints, its classes (most probable first) and its unit embedding vector; each may be empty.

    `polygon` has the corners of a rotated box if the detector returns them.
    """

    classes: tuple[ClassScore, ...] = ()
    embedding: tuple[float, ...] = ()
    polygon: tuple[tuple[float, float], ...] = ()
