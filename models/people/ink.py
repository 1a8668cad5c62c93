"""Shapes and paint: a thin wrapper of Skia in which every point is an (x, y) pair."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import skia

Point = Sequence[float] | np.ndarray[Any, Any]
Path = Any  # skia.Path, which ships without types
Canvas = Any  # skia.Canvas
Color = tuple[int, int, int]


def paint(color: Color, alpha: float = 1.0, stroke: float = 0.0) -> Any:
    """Antialiased paint; `stroke` is a line width in canvas units, 0 fills."""
    brush = skia.Paint(AntiAlias=True, Color=skia.Color(*color, round(255 * alpha)))
    if stroke:
        brush.setStyle(skia.Paint.kStroke_Style)
        brush.setStrokeWidth(stroke)
        brush.setStrokeCap(skia.Paint.kRound_Cap)
        brush.setStrokeJoin(skia.Paint.kRound_Join)
    return brush


def gradient(start: Point, end: Point, colors: Sequence[Color]) -> Any:
    """Paint that runs through `colors` from `start` to `end`."""
    ends = [skia.Point(float(x), float(y)) for x, y in (start, end)]
    shader = skia.GradientShader.MakeLinear(ends, [skia.Color(*color) for color in colors])
    return skia.Paint(AntiAlias=True, Shader=shader)


def mix(color: Color, other: Color, share: float) -> Color:
    """`share` 0 gives `color`, 1 gives `other`."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(color, other, strict=True))
    return red, green, blue


def darker(color: Color, share: float) -> Color:
    """A shade of `color`, a little bluer as it darkens."""
    return mix(color, (28, 22, 58), share)


def lighter(color: Color, share: float) -> Color:
    """A tint of `color`."""
    return mix(color, (255, 250, 238), share)


def polygon(points: Sequence[Point]) -> Path:
    """Closed straight-edged path."""
    path = skia.Path()
    path.moveTo(float(points[0][0]), float(points[0][1]))
    for x, y in points[1:]:
        path.lineTo(float(x), float(y))
    path.close()
    return path


def blob(points: Sequence[Point]) -> Path:
    """Closed smooth path through the middles of the edges of `points`."""
    corners = np.asarray(points, dtype=float)
    middles = (corners + np.roll(corners, -1, axis=0)) / 2
    path = skia.Path()
    path.moveTo(*map(float, middles[-1]))
    for corner, middle in zip(corners, middles, strict=True):
        path.quadTo(*map(float, corner), *map(float, middle))
    path.close()
    return path


def ellipse(center: Point, rx: float, ry: float) -> Path:
    """Axis-aligned ellipse."""
    path = skia.Path()
    x, y = map(float, center)
    path.addOval(skia.Rect(x - rx, y - ry, x + rx, y + ry))
    return path


def box(left: float, top: float, right: float, bottom: float, radius: float = 0.0) -> Path:
    """Rectangle with rounded corners."""
    path = skia.Path()
    path.addRoundRect(skia.Rect(left, top, right, bottom), radius, radius)
    return path


def union(*paths: Path) -> Path:
    """Return the union of `paths`, scaled up for Skia, whose path operations fail on small numbers."""
    whole, *others = (scaled(path, 1024.0) for path in paths)
    for path in others:
        try:
            whole = skia.Op(whole, path, skia.PathOp.kUnion_PathOp)
        except RuntimeError:  # Skia fails on some nearly touching curves
            whole = skia.Path(whole)
            whole.addPath(path)
    return scaled(whole, 1 / 1024.0)


def scaled(path: Path, factor: float) -> Path:
    """A copy of `path`, `factor` times as large."""
    copy = skia.Path(path)
    copy.transform(skia.Matrix.Scale(factor, factor))
    return copy


def taper(start: Point, end: Point, start_radius: float, end_radius: float) -> Path:
    """Return the hull of two circles: a segment of an arm or a leg."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    along = b - a
    length = float(np.hypot(*along))
    whole = union(ellipse(a, start_radius, start_radius), ellipse(b, end_radius, end_radius))
    if length <= abs(start_radius - end_radius) + 1e-6:
        return whole
    along = along / length
    across = np.array([-along[1], along[0]])
    sine = (start_radius - end_radius) / length
    for_side = sine * along, (1 - sine * sine) ** 0.5 * across
    left, right = for_side[0] + for_side[1], for_side[0] - for_side[1]
    sides = [a + left * start_radius, b + left * end_radius]
    return union(whole, polygon([*sides, b + right * end_radius, a + right * start_radius]))


@contextmanager
def clipped(canvas: Canvas, path: Path) -> Iterator[None]:
    """Clip drawing to `path` within the context."""
    canvas.save()
    canvas.clipPath(path, skia.ClipOp.kIntersect, True)
    yield
    canvas.restore()


def solid(canvas: Canvas, path: Path, color: Color, light: float = 0.0) -> None:
    """Fill `path`; with `light`, leave a shadow of that width on its lower right side."""
    canvas.drawPath(path, paint(darker(color, 0.24) if light else color))
    if light:
        with clipped(canvas, path):
            lit = skia.Path(path)
            lit.offset(-light, -light * 0.55)
            canvas.drawPath(lit, paint(color))


def hull(points: Sequence[Point]) -> Path:
    """The convex hull, by Andrew's monotone chain."""
    ordered = sorted({(float(x), float(y)) for x, y in points})

    def chain(corners: list[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for x, y in corners:
            while len(kept) > 1:
                (ax, ay), (bx, by) = kept[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    return polygon(chain(ordered) + chain(ordered[::-1]))
