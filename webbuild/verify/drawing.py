"""Detections as lines and points over their picture, one layer for each runner."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.manifest import PoseTask, Task
from webbuild.tasks.detection import Detection, OrientedObject, Segment
from webbuild.tasks.region_shapes import Shape
from webbuild.verify.outline import Line, outline

_SEEN = 0.3
"""Keypoints of less confidence are left out of the drawing, not of the comparison."""


class Figure(Struct, frozen=True):
    """One detection in source pixels: its box's corners as x, y; limbs as x1, y1, x2, y2; points as x, y.

    A region has no corners: its box is no answer. `lines` are the outline of its mask, as the limbs are.
    """

    corners: tuple[tuple[float, float], ...]
    lines: tuple[Line, ...]
    limbs: tuple[Line, ...]
    points: tuple[tuple[float, float], ...]
    label: str


class Layer(Struct, frozen=True):
    """Everything a runner found."""

    runner: str
    figures: tuple[Figure, ...]


def layer(runner: str, task: Task, detections: Sequence[Detection]) -> Layer:
    """Return a runner's drawing; limbs are the task's skeleton."""
    skeleton = task.skeleton if isinstance(task, PoseTask) else []
    return Layer(runner, tuple(_figure(each, skeleton) for each in detections))


def _figure(detection: Detection, skeleton: Sequence[Sequence[int]]) -> Figure:
    points = detection.keypoints
    seen = [k.confidence >= _SEEN for k in points]
    limbs = [(points[a], points[b]) for a, b in skeleton if max(a, b) < len(points) and seen[a] and seen[b]]
    return Figure(
        corners=tuple((_r(x), _r(y)) for x, y in _corners(detection)),
        lines=_lines(outline(detection.mask)) if isinstance(detection, Segment) else (),
        limbs=_lines([(a.x, a.y, b.x, b.y) for a, b in limbs]),
        points=tuple((_r(k.x), _r(k.y)) for k, visible in zip(points, seen, strict=True) if visible),
        label=f"{detection.label} {detection.score:.3f}",
    )


def _corners(detection: Detection) -> list[tuple[float, float]]:
    if isinstance(detection, Shape):
        return []
    if isinstance(detection, OrientedObject):
        return [(corner.x, corner.y) for corner in detection.corners]
    box = detection.box
    return [(box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2)]


def _lines(lines: Sequence[Line]) -> tuple[Line, ...]:
    return tuple((_r(x1), _r(y1), _r(x2), _r(y2)) for x1, y1, x2, y2 in lines)


def _r(value: float) -> float:
    return round(value, 2)
