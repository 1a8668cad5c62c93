"""Names of keypoints."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct


class Keypoint(ManifestStruct, kw_only=True, frozen=True):
    """A keypoint's name, and its side if limbs are drawn by side."""

    name: str
    side: Literal["left", "right", "middle"]
