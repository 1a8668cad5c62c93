"""A keypoint's name, as the tasks that have keypoints give it."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct


class Keypoint(ManifestStruct, kw_only=True, frozen=True):
    """A keypoint's name and, for a limb drawn by side, its side."""

    name: str
    side: Literal["left", "right", "middle"]
