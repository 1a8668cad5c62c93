"""Names of keypoints and the limbs between them, by the number of keypoints."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.manifest.manifest import Keypoint
from webbuild.tasks.recognition.coco_keypoints import KEYPOINTS, SKELETON

_FEET = ("left_big_toe", "left_small_toe", "left_heel", "right_big_toe", "right_small_toe", "right_heel")
_HALPE_EXTRA = (
    *("head", "neck", "hip"),
    *("left_big_toe", "right_big_toe", "left_small_toe", "right_small_toe", "left_heel", "right_heel"),
)
_FINGERS = ("thumb", "forefinger", "middle_finger", "ring_finger", "pinky_finger")
_HAND = ("wrist", *(f"{finger}{joint}" for finger in _FINGERS for joint in range(1, 5)))
_HAND_LIMBS = [
    [0 if joint == 1 else 4 * finger + joint - 1, 4 * finger + joint] for finger in range(5) for joint in range(1, 5)
]
_FEET_LIMBS = [[15, 17], [15, 18], [15, 19], [16, 20], [16, 21], [16, 22]]
_HALPE_LIMBS = [
    [15, 13], [13, 11], [11, 19], [16, 14], [14, 12], [12, 19], [17, 18], [18, 19], [18, 5], [5, 7], [7, 9], [18, 6],
    [6, 8], [8, 10], [1, 2], [0, 1], [0, 2], [1, 3], [2, 4], [3, 5], [4, 6], [15, 20], [15, 22], [15, 24], [16, 21],
    [16, 23], [16, 25],
]  # fmt: skip
_LEFT_HAND, _RIGHT_HAND = 91, 112
"""First indices of the hands in COCO-WholeBody, after the body, the feet and 68 points of the face."""


class KeypointSet(Struct, frozen=True):
    """A set of keypoints: their subject in one word, names, limbs, and the source of the names."""

    subject: str
    keypoints: list[Keypoint]
    skeleton: list[list[int]]
    source: str


def keypoint_set(count: int) -> KeypointSet:
    """Return the usual set with this number of keypoints, else numbered keypoints."""
    match count:
        case 17:
            return KeypointSet("person", KEYPOINTS, SKELETON, "COCO's")
        case 21:
            return KeypointSet("hand", named_keypoints(_HAND), _HAND_LIMBS, "COCO-WholeBody's of a hand")
        case 26:
            return KeypointSet("person", [*KEYPOINTS, *named_keypoints(_HALPE_EXTRA)], _HALPE_LIMBS, "Halpe's")
        case 133:
            return KeypointSet("person", _whole_body(), _whole_body_skeleton(), "COCO-WholeBody's")
        case 5 | 68 | 98 | 106 | 468 | 478:
            return KeypointSet("face", _numbered(count), [], "")
    return KeypointSet("object", _numbered(count), [], "")


def _whole_body() -> list[Keypoint]:
    face = [f"face-{index}" for index in range(68)]
    hands = [
        f"{side}_hand_root" if name == "wrist" else f"{side}_{name}" for side in ("left", "right") for name in _HAND
    ]
    return [*KEYPOINTS, *named_keypoints((*_FEET, *face, *hands))]


def _whole_body_skeleton() -> list[list[int]]:
    hands = [[start + a, start + b] for start in (_LEFT_HAND, _RIGHT_HAND) for a, b in _HAND_LIMBS]
    return [*SKELETON, *_FEET_LIMBS, *hands]


def _numbered(count: int) -> list[Keypoint]:
    return [Keypoint(name=f"keypoint {index}", side="middle") for index in range(count)]


def named_keypoints(names: Sequence[str]) -> list[Keypoint]:
    """Return keypoints with these names and the sides that the names begin with."""
    return [
        Keypoint(
            name=name, side="left" if name.startswith("left") else "right" if name.startswith("right") else "middle"
        )
        for name in names
    ]
