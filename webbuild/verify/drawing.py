"""Detections as lines and points over their picture, one layer for each runner."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.manifest import PoseTask, Task
from webbuild.tasks.detection import Detection

_SEEN = 0.3
"""Keypoints of less confidence are left out of the drawing, not of the comparison."""


class Figure(Struct, frozen=True):
    """One detection in source pixels: box as x, y, width, height; limbs as x1, y1, x2, y2; points as x, y."""

    box: tuple[float, float, float, float]
    limbs: tuple[tuple[float, float, float, float], ...]
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
    box = detection.box
    return Figure(
        box=(_r(box.x1), _r(box.y1), _r(box.x2 - box.x1), _r(box.y2 - box.y1)),
        limbs=tuple((_r(a.x), _r(a.y), _r(b.x), _r(b.y)) for a, b in limbs),
        points=tuple((_r(k.x), _r(k.y)) for k, visible in zip(points, seen, strict=True) if visible),
        label=f"{detection.label} {detection.score:.3f}",
    )


def _r(value: float) -> float:
    return round(value, 2)
