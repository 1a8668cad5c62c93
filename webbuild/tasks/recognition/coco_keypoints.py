"""COCO's person keypoints: names, limbs, and the sigmas of OKS.

Source: the COCO keypoint challenge (names, skeleton, the per-keypoint constants of OKS).
"""

from __future__ import annotations

import numpy as np

from webbuild.manifest.manifest import Keypoint

_KEYPOINT_NAMES = [
    "nose",
    "left_eye",
    "right_eye",
    "left_ear",
    "right_ear",
    "left_shoulder",
    "right_shoulder",
    "left_elbow",
    "right_elbow",
    "left_wrist",
    "right_wrist",
    "left_hip",
    "right_hip",
    "left_knee",
    "right_knee",
    "left_ankle",
    "right_ankle",
]

KEYPOINTS = [
    Keypoint(
        name=name,
        side="left" if name.startswith("left") else "right" if name.startswith("right") else "middle",
    )
    for name in _KEYPOINT_NAMES
]

SKELETON = [
    [15, 13], [13, 11], [16, 14], [14, 12], [11, 12], [5, 11], [6, 12], [5, 6], [5, 7], [6, 8],
    [7, 9], [8, 10], [1, 2], [0, 1], [0, 2], [1, 3], [2, 4], [3, 5], [4, 6],
]  # fmt: skip

OKS_SIGMAS = (
    np.array([0.26, 0.25, 0.25, 0.35, 0.35, 0.79, 0.79, 0.72, 0.72, 0.62, 0.62, 1.07, 1.07, 0.87, 0.87, 0.89, 0.89])
    / 10
)
"""Standard deviations of annotators, relative to the object's scale; one for each keypoint."""
