"""IoU of convex polygons."""

from __future__ import annotations

from collections.abc import Sequence

Corner = tuple[float, float]


def polygon_iou(first: Sequence[Corner], second: Sequence[Corner]) -> float:
    """Return the IoU of two convex polygons with corners clockwise on a screen; 0 if both are empty."""
    shared = shared_area(first, second)
    union = polygon_area(first) + polygon_area(second) - shared
    return shared / union if union > 0 else 0.0


def shared_area(first: Sequence[Corner], second: Sequence[Corner]) -> float:
    """Return the area of the intersection of two convex polygons with corners clockwise on a screen."""
    return polygon_area(_clipped(first, second))


def polygon_area(corners: Sequence[Corner]) -> float:
    """Return the area of a polygon (the shoelace formula); 0 for fewer than three corners."""
    following = [*corners[1:], *corners[:1]]
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(corners, following, strict=True))) / 2


def _clipped(subject: Sequence[Corner], clip: Sequence[Corner]) -> list[Corner]:
    """Return the part of a polygon inside another, by Sutherland-Hodgman clipping at each side of `clip`."""
    left = list(subject)
    for (x1, y1), (x2, y2) in zip(clip, [*clip[1:], *clip[:1]], strict=True):
        sides = [(x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) for x, y in left]  # positive inside
        clipped: list[Corner] = []
        for at, ((x, y), side) in enumerate(zip(left, sides, strict=True)):
            (before_x, before_y), before = left[at - 1], sides[at - 1]
            if (side < 0) != (before < 0):
                part = before / (before - side)
                clipped.append((before_x + part * (x - before_x), before_y + part * (y - before_y)))
            if side >= 0:
                clipped.append((x, y))
        left = clipped
    return left
