"""The smallest network for a head: a few convolutions before it."""

from __future__ import annotations

from typing import Any

HEADS: dict[str, tuple[str, list[object]]] = {
    "detect": ("Detect", ["nc"]),
    "pose": ("Pose", ["nc", "kpt_shape"]),
    "segment": ("Segment", ["nc", 8, 8]),
    "obb": ("OBB", ["nc", 1]),
    "detect-v10": ("v10Detect", ["nc"]),
}
"""The head's class, and its arguments in a model description."""


def _backbone(channels: int, layers: int = 5) -> list[list[object]]:
    """Return convolutions of stride 2 each."""
    return [[-1, 1, "Conv", [channels, 3, 2]] for _ in range(layers)]


def description(head: str, *, one_to_one: bool = False) -> dict[str, Any]:
    """Return the description of a network with three classes and one of the heads.

    Args:
        head: a key of `HEADS`, or `classify`.
        one_to_one: the head needs no NMS, like YOLO26's.
    """
    if head == "classify":
        return {"nc": 3, "backbone": _backbone(16, 3), "head": [[-1, 1, "Classify", ["nc"]]]}
    name, arguments = HEADS[head]
    backbone = _backbone(24 if one_to_one else 8)  # Ultralytics refuses to export a network that is too small
    model: dict[str, Any] = {"nc": 3, "backbone": backbone, "head": [[[2, 3, 4], 1, name, arguments]]}
    if head == "pose":
        model["kpt_shape"] = [5, 3]
    if one_to_one:
        model |= {"end2end": True, "reg_max": 1}
    return model
