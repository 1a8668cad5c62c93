"""A head in any rotation: face, hair and hat.

Units are half the head's height, y points down, and the head's middle is the origin.
"""

from math import cos, sin
from typing import Any

import numpy as np
import skia

from models.people.ink import (
    Canvas,
    Color,
    blob,
    box,
    clipped,
    darker,
    ellipse,
    lighter,
    mix,
    paint,
    polygon,
    solid,
    union,
)
from models.people.look import Look

FEATURES = {  # azimuth to the person's left and height, both in radians
    "nose": (0.0, -0.20),
    "left_eye": (0.40, 0.06),
    "right_eye": (-0.40, 0.06),
    "left_ear": (1.60, -0.04),
    "right_ear": (-1.60, -0.04),
}
WIDTH = 0.82


def spot(azimuth: float, height: float, turn: float, reach: float = 1.0) -> tuple[float, ...]:
    """Return the position of a point of the head: x, y and its depth, above 0 on the viewer's side."""
    around = azimuth + turn
    flat = cos(height)
    return (WIDTH * reach * sin(around) * flat, -reach * sin(height), cos(around) * flat)


def features(turn: float, nod: float) -> dict[str, tuple[float, ...]]:
    """The five key points of the face: x, y and depth."""
    spots = {}
    for name, (azimuth, height) in FEATURES.items():
        reach = 1.06 if name == "nose" else 1.0
        spots[name] = spot(azimuth, height - nod * cos(azimuth), turn, reach)
    return spots


def behind(canvas: Canvas, look: Look, turn: float) -> None:
    """Hair that hangs behind the head."""
    back = -sin(turn)
    dark = darker(look.hair, 0.18)
    if look.hairstyle == "long":
        near, far = back * 0.25, back * 0.5
        shape = blob([(-0.95, -0.6), (0.95, -0.6), (1.05 + near, 1.2), (0.8 + far, 2.0),
                      (-0.8 + far, 2.0), (-1.05 + near, 1.2)])  # fmt: skip
        canvas.drawPath(shape, paint(dark))
    elif look.hairstyle == "bob":
        canvas.drawPath(box(-1.0 + back * 0.12, -0.8, 1.0 + back * 0.12, 0.95, 0.5), paint(dark))
    elif look.hairstyle == "tail" and abs(turn) < 2.2:
        shape = blob([(back * 0.7, -0.7), (back * 1.5, -0.6), (back * 1.7 + 0.2, 1.0),
                      (back * 1.3, 1.5), (back * 1.15 - 0.2, 0.4)])  # fmt: skip
        canvas.drawPath(shape, paint(dark))
    elif look.hairstyle == "curls":
        puffs = [ellipse((1.0 * sin(a) + back * 0.12, -0.35 - 0.85 * cos(a)), 0.52, 0.52)
                 for a in np.linspace(-2.1, 2.1, 9)]  # fmt: skip
        solid(canvas, union(*puffs), look.hair, 0.14)
    elif look.hairstyle == "bun":
        solid(canvas, ellipse((back * 0.75, -0.98), 0.42, 0.42), look.hair, 0.1)


def skull(look: Look) -> Any:
    """Outline of the head with its hair."""
    grown = {"bald": 1.0, "buzz": 1.02, "curls": 1.16, "scarf": 1.14}.get(look.hairstyle, 1.07)
    return ellipse((0, -0.04), WIDTH * grown, grown)


def window(look: Look, turn: float) -> Any | None:
    """Return the visible skin of the face, or None from behind."""
    ahead = cos(turn)
    if look.hairstyle == "bald":
        return ellipse((0, 0), WIDTH, 1.0)
    if ahead < -0.45:
        return None
    half = 0.60 + 0.08 * ahead - (0.22 if ahead < 0 else 0.0) + max(0.0, 0.12 * (1 - abs(ahead)))
    fringe = {"short": -0.42, "side": -0.36, "buzz": -0.58, "tail": -0.5, "bun": -0.5}
    top = fringe.get(look.hairstyle, -0.34)
    middle = sin(turn) * (0.46 if ahead >= 0 else 0.62)
    return box(middle - half, top, middle + half, 1.25, 0.42)


def face(canvas: Canvas, look: Look, turn: float, nod: float) -> None:
    """Draw eyes, brows, cheeks, mouth and glasses."""
    ink = darker(look.skin, 0.72)
    for side in (-1, 1):
        x, y, depth = spot(0.40 * side, 0.06 - nod, turn)
        if depth > 0.12:
            squeeze = max(0.45, depth)
            canvas.drawPath(ellipse((x, y), 0.085 * squeeze, 0.12), paint((44, 34, 44)))
            brow = spot(0.40 * side, 0.36 - nod, turn)
            stroke = paint(darker(look.hair, 0.25), 0.9, 0.07)
            canvas.drawLine(brow[0] - 0.13 * squeeze, brow[1] + 0.02, brow[0] + 0.13 * squeeze,
                            brow[1], stroke)  # fmt: skip
            cheek = spot(0.62 * side, -0.34 - nod, turn)
            canvas.drawPath(ellipse(cheek[:2], 0.15 * squeeze, 0.1), paint((235, 96, 90), 0.22))
            if look.glasses:
                canvas.drawPath(ellipse((x, y), 0.24 * squeeze, 0.2), paint((40, 40, 52), 1, 0.06))
    x, y, depth = spot(0.0, -0.50 - nod, turn)
    if depth > 0.05:
        wide = 0.2 * max(0.35, depth)
        mouth = skia.Path()
        mouth.moveTo(x - wide, y)
        mouth.quadTo(x, y + 0.17, x + wide, y)
        canvas.drawPath(mouth, paint(mix(ink, (190, 60, 60), 0.45), 1, 0.075))


def nose(canvas: Canvas, look: Look, turn: float, nod: float) -> None:
    """Draw the nose, in profile beyond the outline."""
    x, y, depth = spot(0.0, -0.2 - nod, turn, 1.06)
    if depth > -0.25:
        shade = look.skin if depth < 0.5 else darker(look.skin, 0.16)
        canvas.drawPath(ellipse((x, y), 0.11, 0.13), paint(shade))


def ears(canvas: Canvas, look: Look, turn: float) -> None:
    """Draw the ears that hair does not cover."""
    if look.hairstyle in ("long", "bob", "curls", "scarf"):
        return
    for side in (-1, 1):
        x, y, depth = spot(1.6 * side, -0.04, turn, 1.02)
        if depth > -0.3:
            solid(canvas, ellipse((x, y), 0.15, 0.22), darker(look.skin, 0.06), 0.06)


def hat(canvas: Canvas, look: Look, turn: float) -> None:
    """A cap, a beanie or a straw hat."""
    ahead = sin(turn)
    crown = union(ellipse((0, -0.42), 0.93, 0.76), box(-0.93, -0.62, 0.93, -0.34, 0.1))
    with clipped(canvas, box(-3, -3, 3, -0.3)):
        if look.hat != "none":
            solid(canvas, crown, look.accent, 0.12)
    if look.hat == "cap" and cos(turn) > -0.5:
        reach = 0.55 + 0.55 * abs(ahead)
        brim = ellipse((ahead * 0.9, -0.36), reach, 0.15)
        canvas.drawPath(brim, paint(darker(look.accent, 0.25)))
    elif look.hat == "beanie":
        solid(canvas, box(-0.96, -0.55, 0.96, -0.24, 0.12), lighter(look.accent, 0.3), 0.08)
        canvas.drawPath(ellipse((0, -1.25), 0.22, 0.22), paint(lighter(look.accent, 0.4)))
    elif look.hat == "straw":
        solid(canvas, ellipse((0, -0.36), 1.55, 0.2), (226, 188, 118), 0.06)
        canvas.drawPath(box(-0.9, -0.62, 0.9, -0.44, 0.05), paint(look.accent))


def beard(canvas: Canvas, look: Look, turn: float, skin: Any) -> None:
    """Hair on the lower part of the face."""
    with clipped(canvas, skin):
        middle = sin(turn) * 0.46
        cut = polygon([(-2, 0.2), (middle - 0.45, 0.3), (middle - 0.3, 0.42), (middle + 0.3, 0.42),
                       (middle + 0.45, 0.3), (2, 0.2), (2, 2), (-2, 2)])  # fmt: skip
        canvas.drawPath(cut, paint(look.hair))


def draw(canvas: Canvas, look: Look, turn: float, nod: float) -> None:
    """The whole head."""
    covered: Color = look.top if look.hairstyle == "scarf" else look.hair
    if look.hairstyle == "buzz":
        covered = mix(look.hair, look.skin, 0.35)
    behind(canvas, look, turn)
    skin = ellipse((0, 0), WIDTH, 1.0)
    if look.hairstyle == "scarf":
        solid(canvas, box(-0.85, -0.2, 0.85, 1.55, 0.7), darker(covered, 0.1), 0.1)
    solid(canvas, skull(look), look.skin if look.hairstyle == "bald" else covered, 0.12)
    opening = window(look, turn)
    if opening is not None:
        with clipped(canvas, opening):
            solid(canvas, skin, look.skin, 0.12)
        if look.beard:
            with clipped(canvas, opening):
                beard(canvas, look, turn, skin)
        nose(canvas, look, turn, nod)
        face(canvas, look, turn, nod)
    ears(canvas, look, turn)
    hat(canvas, look, turn)
    if look.hairstyle == "tail" and abs(turn) >= 2.2:
        solid(canvas, blob([(-0.25, -0.5), (0.25, -0.5), (0.4, 0.9), (0, 1.7), (-0.4, 0.9)]),
              darker(look.hair, 0.15), 0.1)  # fmt: skip
