"""Families of face and hand landmark models, recognized by file name: output layout and preprocessing of crops."""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec import Struct

from webbuild.manifest.manifest import CropInput


class LandmarkFamily(Struct, frozen=True, kw_only=True):
    """A family, the pattern of its file names, and the pre- and postprocessing of its own code."""

    name: str
    file: str
    columns: Literal["xy", "xyz", "yxc"] = "xy"
    range: Literal["unit", "signed", "pixels"] = "unit"
    scale: float = 1 / 255
    padding: float = 1.0

    def apply(self, crop: CropInput) -> CropInput:
        """Return the input with the family's preprocessing."""
        return msgspec.structs.replace(crop, scale=self.scale, mean=[0.0] * 3, std=[1.0] * 3, padding=self.padding)


_FAMILIES = (
    LandmarkFamily(name="InsightFace's 2d106det", file=r"2d106", range="signed", scale=1.0, padding=1.5),
    LandmarkFamily(name="PFLD", file=r"pfld", padding=1.2),
    LandmarkFamily(
        name="MediaPipe's face mesh", file=r"face_?(mesh|landmark)", columns="xyz", range="pixels", padding=1.5
    ),
    LandmarkFamily(
        name="MediaPipe's hand landmarks", file=r"hand_?(pose|landmark)", columns="xyz", range="pixels", padding=1.5
    ),
    LandmarkFamily(name="MoveNet", file=r"movenet", columns="yxc", scale=1.0),
)
MOVENET_SHAPE = (1, 1, 17, 3)
"""Shape of the output of MoveNet for one person, whatever the file's name."""


def landmark_family(file: str) -> LandmarkFamily | None:
    """Return the family by the file's name, None if it is unknown."""
    return next((each for each in _FAMILIES if re.search(each.file, file, re.IGNORECASE)), None)
