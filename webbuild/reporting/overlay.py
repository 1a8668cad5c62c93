"""Detections drawn over their picture, one layer per runner."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.manifest.manifest import Task
from webbuild.reporting.mask_outline import Line, mask_outline
from webbuild.tasks.decoding.detection import Detection, OrientedObject, Segment, TextBox
from webbuild.tasks.decoding.region_boxes import RegionObject
from webbuild.tasks.registry import kind_of

_MIN_KEYPOINT_CONFIDENCE = 0.3
"""Keypoints with less confidence are not drawn, but compared."""


class Figure(Struct, frozen=True):
    """One detection in source pixels: corners and points as (x, y), limbs and mask outline `lines` as (x1, y1, x2, y2).

    A region has no corners, because its box is not a result of the model.
    """

    corners: tuple[tuple[float, float], ...]
    lines: tuple[Line, ...]
    limbs: tuple[Line, ...]
    points: tuple[tuple[float, float], ...]
    label: str


class Layer(Struct, frozen=True):
    """All detections of a runner."""

    runner: str
    figures: tuple[Figure, ...]


def detection_layer(runner: str, task: Task, detections: Sequence[Detection]) -> Layer:
    """Return the layer of a runner; limbs follow the task's skeleton."""
    skeleton = kind_of(task).skeleton(task)
    return Layer(runner, tuple(_figure(each, skeleton) for each in detections))


def _figure(detection: Detection, skeleton: Sequence[Sequence[int]]) -> Figure:
    points = detection.keypoints
    seen = [k.confidence >= _MIN_KEYPOINT_CONFIDENCE for k in points]
    limbs = [(points[a], points[b]) for a, b in skeleton if max(a, b) < len(points) and seen[a] and seen[b]]
    return Figure(
        corners=tuple((_round(x), _round(y)) for x, y in _corners(detection)),
        lines=_lines(mask_outline(detection.mask)) if isinstance(detection, Segment) else (),
        limbs=_lines([(a.x, a.y, b.x, b.y) for a, b in limbs]),
        points=tuple((_round(k.x), _round(k.y)) for k, visible in zip(points, seen, strict=True) if visible),
        label=f"{detection.label} {detection.score:.3f}",
    )


def _corners(detection: Detection) -> list[tuple[float, float]]:
    if isinstance(detection, RegionObject):
        return []
    if isinstance(detection, OrientedObject):
        return [(corner.x, corner.y) for corner in detection.corners]
    if isinstance(detection, TextBox):
        return list(detection.polygon)
    box = detection.box
    return [(box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2)]


def _lines(lines: Sequence[Line]) -> tuple[Line, ...]:
    return tuple((_round(x1), _round(y1), _round(x2), _round(y2)) for x1, y1, x2, y2 in lines)


def _round(value: float) -> float:
    return round(value, 2)
