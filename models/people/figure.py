"""An articulated body: proportions, a pose, and the resulting joint positions.

Lengths are in body heights. A figure's own axes are x to its left, y up, z ahead. The viewer's axes are x right,
y down, z towards the viewer. The middle of the hips is the origin.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Vector = np.ndarray[Any, np.dtype[np.float64]]
Joints = dict[str, Vector]

KEYPOINTS = (
    "nose", "left_eye", "right_eye", "left_ear", "right_ear",
    "left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist",
    "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle", "right_ankle",
)  # fmt: skip
MIRRORED = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]


@dataclass(frozen=True)
class Build:
    """Proportions of one body."""

    torso: float = 0.30
    shoulder: float = 0.105  # half the distance between the shoulders
    hip: float = 0.058
    arm: float = 0.155  # upper arm; the forearm is 0.92 of it
    leg: float = 0.235  # thigh; the shin is the same
    head: float = 0.078  # half the head's height
    girth: float = 1.0  # thickness of limbs and trunk


@dataclass(frozen=True)
class Limb:
    """The pose of an arm or a leg, in radians; with all zero it hangs straight down."""

    swing: float = 0.0  # forwards
    spread: float = 0.0  # sideways, away from the body
    bend: float = 0.0  # at the elbow or the knee
    toward: tuple[float, float, float] | None = None  # direction of the bend: outward, up, ahead


@dataclass(frozen=True)
class Pose:
    """The pose and the viewing direction of a body."""

    left_arm: Limb = field(default_factory=Limb)
    right_arm: Limb = field(default_factory=Limb)
    left_leg: Limb = field(default_factory=Limb)
    right_leg: Limb = field(default_factory=Limb)
    lean: float = 0.0  # trunk forwards
    tilt: float = 0.0  # whole body to the viewer's right
    turn: float = 0.0  # 0 faces the viewer, +pi/2 faces right
    look: float = 0.0  # head, beyond `turn`
    nod: float = 0.0  # head down
    lift: float = 0.0  # feet above the ground
    seat: bool = False  # sits on something


def rotated(vector: Vector, axis: int, angle: float) -> Vector:
    """Return a vector rotated about x (0), y (1) or z (2) by the right-hand rule."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    turned = vector.copy()
    turned[first] = vector[first] * np.cos(angle) - vector[second] * np.sin(angle)
    turned[second] = vector[first] * np.sin(angle) + vector[second] * np.cos(angle)
    return turned


def limb_directions(limb: Limb, side: int, ahead: float) -> tuple[Vector, Vector]:
    """Unit directions of the upper and the lower part; `ahead` is -1 for knees, 1 for elbows."""
    cos_spread = np.cos(limb.spread)
    upper = np.array([side * np.sin(limb.spread), -cos_spread * np.cos(limb.swing),
                      cos_spread * np.sin(limb.swing)])  # fmt: skip
    pole = np.array(limb.toward or (0.0, 0.0, ahead)) * (side, 1, 1)
    across = pole - (pole @ upper) * upper + 1e-9
    across /= np.linalg.norm(across)
    return upper, np.cos(limb.bend) * upper + np.sin(limb.bend) * across


def joints(build: Build, pose: Pose) -> Joints:
    """Return every joint in the viewer's axes: 12 of the limbs, neck, head and toes."""
    own: Joints = {"pelvis": np.zeros(3)}
    trunk: Joints = {"neck": np.array([0, build.torso * 1.1, 0])}
    for name, side in (("left", 1), ("right", -1)):
        hip = np.array([side * build.hip, 0.0, 0.0])
        thigh, shin = limb_directions(getattr(pose, f"{name}_leg"), side, -1.0)
        knee = hip + thigh * build.leg
        ankle = knee + shin * build.leg
        foot = np.cross(shin, np.array([1.0, 0.0, 0.0]))
        foot = np.array([side * 0.25, 0, 0]) + foot / max(float(np.linalg.norm(foot)), 1e-6)
        own |= {f"{name}_hip": hip, f"{name}_knee": knee, f"{name}_ankle": ankle}
        own[f"{name}_toe"] = ankle + foot * 0.075 + shin * 0.028
        own[f"{name}_heel"] = ankle - foot * 0.012 + shin * 0.028
        shoulder = np.array([side * build.shoulder, build.torso * 0.94, 0.0])
        upper, fore = limb_directions(getattr(pose, f"{name}_arm"), side, 1.0)
        elbow = shoulder + upper * build.arm
        wrist = elbow + fore * build.arm * 0.92
        trunk |= {f"{name}_shoulder": shoulder, f"{name}_elbow": elbow, f"{name}_wrist": wrist}
        trunk[f"{name}_hand"] = wrist + fore * 0.030
    own |= {name: rotated(point, 0, pose.lean) for name, point in trunk.items()}
    upright = rotated(np.array([0.0, 1.0, 0.0]), 0, pose.lean * 0.55)
    own["head"] = own["neck"] + upright * (build.head * 1.22)
    return {name: seen(point, pose) for name, point in own.items()}


def seen(point: Vector, pose: Pose) -> Vector:
    """Return a point of the figure in the viewer's axes."""
    return rotated(rotated(point, 1, pose.turn), 2, -pose.tilt) * (1, -1, 1)
