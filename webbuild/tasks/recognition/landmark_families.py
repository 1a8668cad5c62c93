"""Families of landmark models, recognized by file name or output shape: output layout, preprocessing of crops."""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec import Struct

from webbuild.manifest.manifest import CropInput
from webbuild.model.signature import ModelSignature


class LandmarkFamily(Struct, frozen=True, kw_only=True):
    """A family, the pattern of its file names, and the pre- and postprocessing of its own code.

    `shape` is that of an output that only this family has.
    """

    name: str
    file: str
    shape: tuple[int, ...] | None = None
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
    LandmarkFamily(name="MoveNet", file=r"movenet", shape=(1, 1, 17, 3), columns="yxc", scale=1.0),
)


def landmark_family(signature: ModelSignature) -> LandmarkFamily | None:
    """Return the family by the shape of an output, else by the file's name; None if it is unknown."""
    shapes = [each.shape for each in signature.outputs]
    by_shape = (each for each in _FAMILIES if each.shape in shapes)
    by_name = (each for each in _FAMILIES if re.search(each.file, signature.file, re.IGNORECASE))
    return next(by_shape, None) or next(by_name, None)
