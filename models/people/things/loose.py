"""Loose objects."""

import numpy as np

from models.people.ink import (
    Canvas,
    box,
    clipped,
    darker,
    ellipse,
    lighter,
    mix,
    paint,
    polygon,
    solid,
    taper,
)
from models.people.look import CLOTHES, Random, jitter, pick


def crate(canvas: Canvas, rng: Random) -> None:
    """A box, or two."""
    for level in range(int(rng.integers(1, 3))):
        size = rng.uniform(0.25, 0.42)
        base = -0.34 * level
        color = jitter(rng, pick(rng, [(206, 160, 106), *CLOTHES]))
        solid(canvas, box(-size / 2, base - size * 0.85, size / 2, base, 0.01), color, 0.04)
        canvas.drawPath(box(-0.03, base - size * 0.85, 0.03, base), paint(lighter(color, 0.3)))


def ball(canvas: Canvas, rng: Random) -> None:
    """A ball on the ground or in the air."""
    size, up = rng.uniform(0.06, 0.14), float(pick(rng, [0.0, 0.0, 0.6, 1.1]))
    shape = ellipse((0, -size - up), size, size)
    color = jitter(rng, pick(rng, CLOTHES))
    solid(canvas, shape, color, size * 0.35)
    with clipped(canvas, shape):
        canvas.drawPath(ellipse((size * 0.8, -size - up), size, size), paint(lighter(color, 0.5), 1, 0.02))


def parasol(canvas: Canvas, rng: Random) -> None:
    """A beach umbrella."""
    colors = [jitter(rng, pick(rng, CLOTHES)), (250, 246, 236)]
    canvas.drawPath(box(-0.015, -1.2, 0.015, 0), paint((220, 214, 204)))
    with clipped(canvas, box(-1, -2, 1, -0.95)):
        for index, half in enumerate((0.62, 0.4, 0.16)):
            canvas.drawPath(ellipse((0, -0.95), half, 0.42), paint(colors[index % 2]))


def balloons(canvas: Canvas, rng: Random) -> None:
    """Balloons on strings."""
    for _ in range(int(rng.integers(1, 4))):
        spot = rng.uniform(-0.25, 0.25), -rng.uniform(0.9, 1.4)
        canvas.drawLine(0, -0.4, *spot, paint((240, 240, 240), 0.8, 0.008))
        solid(canvas, ellipse(spot, 0.11, 0.14), jitter(rng, pick(rng, CLOTHES)), 0.03)


def bags(canvas: Canvas, rng: Random) -> None:
    """A suitcase or a bin."""
    color = jitter(rng, pick(rng, CLOTHES))
    solid(canvas, box(-0.15, -0.42, 0.15, -0.02, 0.04), color, 0.03)
    canvas.drawPath(box(-0.06, -0.52, 0.06, -0.4, 0.02), paint((70, 70, 76), 1, 0.02))
    for y in (-0.32, -0.16):
        canvas.drawLine(-0.13, y, 0.13, y, paint(darker(color, 0.3), 1, 0.012))


def snowman(canvas: Canvas, rng: Random) -> None:
    """A snowman: similar to a person, but without a label."""
    for y, size in ((-0.2, 0.22), (-0.52, 0.16), (-0.76, 0.11)):
        solid(canvas, ellipse((0, y), size, size), (238, 244, 250), 0.03)
    canvas.drawPath(polygon([(0, -0.78), (0, -0.74), (0.14, -0.755)]), paint((240, 140, 60)))
    solid(canvas, box(-0.1, -1.02, 0.1, -0.84, 0.01), mix((40, 40, 52), pick(rng, CLOTHES), 0.3), 0.02)


def sticks(canvas: Canvas, rng: Random) -> None:
    """Bars and discs in the colours of clothes: limbs that do not belong to a person."""
    for _ in range(int(rng.integers(3, 8))):
        start = np.array([rng.uniform(-0.3, 0.3), -rng.uniform(0, 0.7)])
        end = start + rng.uniform(-0.35, 0.35, 2)
        color = jitter(rng, pick(rng, CLOTHES))
        solid(canvas, taper(start, end, *rng.uniform(0.015, 0.06, 2)), color, 0.012)
