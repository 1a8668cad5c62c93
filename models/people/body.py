"""Arms, legs and trunk with clothes, as parts that can be sorted by depth."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.people.figure import Build, Joints, Pose, Vector, rotated, seen
from models.people.ink import (
    Canvas,
    Color,
    Path,
    box,
    clipped,
    darker,
    ellipse,
    hull,
    lighter,
    paint,
    solid,
    taper,
    union,
)
from models.people.look import Look

LIGHT = 0.013  # width of the shadow on a limb, in body heights


@dataclass(frozen=True)
class Part:
    """One part of a person: the covered area, its drawing function, and its joints."""

    depth: float
    outline: Path
    draw: Callable[[Canvas], None]
    joints: frozenset[str]


def shown(color: Color, depth: float) -> Color:
    """Return the colour of a limb: limbs behind the body are shaded."""
    return darker(color, 0.2) if depth < -0.045 else color


def lengthwise(points: list[Vector], radii: list[float], share: float) -> Path:
    """Return the first `share` of a limb through three joints."""
    upper = min(share * 2, 1.0)
    lower = max(share * 2 - 1, 0.0)
    middle = points[0] + (points[1] - points[0]) * upper
    shape = taper(points[0][:2], middle[:2], radii[0], radii[0] + (radii[1] - radii[0]) * upper)
    if lower:
        end = points[1] + (points[2] - points[1]) * lower
        shape = union(shape, taper(points[1][:2], end[:2], radii[1],
                                   radii[1] + (radii[2] - radii[1]) * lower))  # fmt: skip
    return shape


def limb(canvas: Canvas, shape: Path, color: Color) -> None:
    """Draw a shaded part of a limb with a fine edge against the background."""
    solid(canvas, shape, color, LIGHT)
    canvas.drawPath(shape, paint(darker(color, 0.5), 0.35, 0.004))


def arm(look: Look, at: Joints, name: str) -> Part:
    """One arm with its sleeve and hand."""
    points = [at[f"{name}_{joint}"] for joint in ("shoulder", "elbow", "wrist")]
    girth = look.build.girth
    radii = [0.0265 * girth, 0.0215 * girth, 0.0165]
    bare = union(lengthwise(points, radii, 1.0), ellipse(at[f"{name}_hand"][:2], 0.021, 0.024))
    sleeve = lengthwise(points, [r + 0.0065 for r in radii], look.sleeve) if look.sleeve else None
    depth = float((points[1][2] + at[f"{name}_hand"][2]) / 2) + 0.02
    cloth = look.accent if look.pattern == "vest" else look.top

    def draw(canvas: Canvas) -> None:
        limb(canvas, bare, shown(look.skin, depth))
        if sleeve is not None:
            limb(canvas, sleeve, shown(cloth, depth))

    owned = frozenset(f"{name}_{joint}" for joint in ("shoulder", "elbow", "wrist"))
    return Part(depth, bare if sleeve is None else union(bare, sleeve), draw, owned)


def leg(look: Look, at: Joints, name: str) -> Part:
    """One leg with its clothes and shoe."""
    points = [at[f"{name}_{joint}"] for joint in ("hip", "knee", "ankle")]
    girth = look.build.girth
    radii = [0.047 * girth, 0.033 * girth, 0.022]
    bare = lengthwise(points, radii, 1.0)
    cover = {"trousers": 0.97, "shorts": look.hem}.get(look.lower, 0.0)
    wide = [radii[0] + 0.006, radii[1] + 0.007, radii[2] + 0.008]
    cloth = lengthwise(points, wide, cover) if cover else None
    shoe = taper(at[f"{name}_heel"][:2], at[f"{name}_toe"][:2], 0.025, 0.018)
    depth = float((points[1][2] + points[2][2]) / 2) - 0.02
    if look.lower in ("skirt", "dress"):
        depth = min(depth, -0.01)

    def draw(canvas: Canvas) -> None:
        limb(canvas, bare, shown(look.skin, depth))
        solid(canvas, shoe, shown(look.shoes, depth), 0.008)
        canvas.drawPath(shoe, paint(darker(look.shoes, 0.5), 0.4, 0.004))
        if cloth is not None:
            limb(canvas, cloth, shown(look.bottom, depth))

    owned = frozenset(f"{name}_{joint}" for joint in ("hip", "knee", "ankle"))
    whole = union(bare, shoe) if cloth is None else union(bare, shoe, cloth)
    return Part(depth, whole, draw, owned)


def ring(build: Build, pose: Pose, height: float, half: float, deep: float) -> list[Vector]:
    """Points around the trunk at `height`, a share of its length."""
    angles = np.linspace(0, 2 * np.pi, 14, endpoint=False)
    around = (np.array([half * np.cos(a), height * build.torso, deep * np.sin(a)]) for a in angles)
    return [seen(rotated(point, 0, pose.lean), pose)[:2] for point in around]


def trunk_outline(build: Build, pose: Pose) -> Path:
    """Hips to neck."""
    girth = build.girth
    profile = [  # height, half width, half depth
        (-0.10, build.hip + 0.030 * girth, 0.058 * girth),
        (0.08, build.hip + 0.031 * girth, 0.060 * girth),
        (0.38, build.hip + 0.012 * girth + 0.012 * (girth - 1), 0.050 * girth),
        (0.75, build.shoulder * 0.5 + 0.042 * girth, 0.057 * girth),
        (0.93, build.shoulder + 0.016, 0.046 * girth),
        (1.04, build.shoulder - 0.012, 0.036),
        (1.12, 0.036, 0.030),
    ]
    heights, halves, deeps = (np.array(column) for column in zip(*profile, strict=True))
    levels = np.linspace(heights[0], heights[-1], 13)
    rings = [
        ring(
            build,
            pose,
            h,
            float(np.interp(h, heights, halves)),
            float(np.interp(h, heights, deeps)),
        )
        for h in levels
    ]
    return union(*(hull(a + b) for a, b in pairwise(rings)))


def patterned(canvas: Canvas, look: Look, at: Joints, outline: Path, back: bool) -> None:
    """Stripes, dots, a band, a vest or buttons on the top."""
    low, high = at["pelvis"][:2], at["neck"][:2]
    across = np.array([-(high - low)[1], (high - low)[0]])
    across = across / max(float(np.hypot(*across)), 1e-6) * 0.3
    brush = paint(look.accent, 1.0, 0.022)
    with clipped(canvas, outline):
        if look.pattern == "stripes":
            for share in np.linspace(0.05, 0.95, 6):
                middle = low + (high - low) * share
                canvas.drawLine(*map(float, middle - across), *map(float, middle + across), brush)
        elif look.pattern == "band":
            brush.setStrokeWidth(0.07)
            middle = low + (high - low) * 0.62
            canvas.drawLine(*map(float, middle - across), *map(float, middle + across), brush)
        elif look.pattern == "dots":
            for i in range(40):
                offset = across * ((i * 0.7549) % 1 - 0.5) * 0.9
                center = low + (high - low) * ((i * 0.5698) % 1) + offset
                canvas.drawPath(ellipse(center, 0.008, 0.008), paint(look.accent))
        elif look.pattern in ("vest", "buttons") and not back:
            brush.setStrokeWidth(0.05 if look.pattern == "vest" else 0.006)
            brush.setColor(paint(look.accent if look.pattern == "vest" else darker(look.top, 0.4)).getColor())
            canvas.drawLine(*map(float, low), *map(float, high), brush)


def trunk(look: Look, pose: Pose, at: Joints) -> Part:
    """The trunk with its top, and the skirt or the belt below it."""
    outline = trunk_outline(look.build, pose)
    back = np.cos(pose.turn) < 0
    top_end = at["neck"][:2]
    lower = look.top if look.lower == "dress" else look.bottom
    skirt = None
    if look.lower in ("skirt", "dress"):
        skirt = skirt_outline(look, pose, at)
    waist = hull([p for h in (-0.1, 0.1) for p in ring(look.build, pose, h, 0.13, 0.1)])

    def draw(canvas: Canvas) -> None:
        if skirt is not None:
            limb(canvas, skirt, lower)
        solid(canvas, outline, look.top, 0.022)
        patterned(canvas, look, at, outline, back)
        canvas.drawPath(outline, paint(darker(look.top, 0.5), 0.3, 0.004))
        if look.lower != "dress":
            with clipped(canvas, outline):
                canvas.drawPath(waist, paint(look.bottom))
        if look.hairstyle != "scarf" and not back and pose.lean < 0.8:
            with clipped(canvas, outline):
                canvas.drawPath(ellipse(top_end, 0.042, 0.034), paint(darker(look.skin, 0.1)))

    owned = frozenset(f"{s}_{j}" for s in ("left", "right") for j in ("hip", "shoulder"))
    whole = outline if skirt is None else union(outline, skirt)
    return Part(0.0, whole, draw, owned)


def skirt_outline(look: Look, pose: Pose, at: Joints) -> Path:
    """From the waist to the hem on both legs."""
    hem = []
    for name in ("left", "right"):
        hip, knee = at[f"{name}_hip"], at[f"{name}_knee"]
        ankle = at[f"{name}_ankle"]
        share = look.hem * 2
        end = hip + (knee - hip) * min(share, 1) + (ankle - knee) * max(share - 1, 0) * 0.5
        hem += [end[:2] + offset for offset in ((-0.062, 0.0), (0.062, 0.0), (0.0, 0.015))]
    girth = look.build.girth
    waist = ring(look.build, pose, 0.12, look.build.hip + 0.03 * girth, 0.055 * girth)
    hips = ring(look.build, pose, -0.04, look.build.hip + 0.053 * girth, 0.06 * girth)
    return hull([*waist, *hips, *hem])


def backpack(look: Look, pose: Pose, at: Joints) -> Part:
    """A bag on the back."""
    center = (at["left_shoulder"] + at["right_shoulder"]) / 2 * 0.72 + at["pelvis"] * 0.28
    back = rotated(np.array([0.0, 0.0, -0.085]), 0, pose.lean)
    center = center + seen(back, pose)
    x, y = center[:2]
    half = 0.085 - 0.03 * abs(np.sin(pose.turn))
    outline = box(x - half, y - 0.11, x + half, y + 0.11, 0.04)
    pocket = box(x - half * 0.7, y + 0.015, x + half * 0.7, y + 0.09, 0.02)

    def draw(canvas: Canvas) -> None:
        limb(canvas, outline, look.accent)
        canvas.drawPath(pocket, paint(lighter(look.accent, 0.25)))

    return Part(float(center[2]), outline, draw, frozenset())
