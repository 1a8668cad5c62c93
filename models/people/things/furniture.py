"""Seats, tables and a lamp."""

from models.people.ink import Canvas, box, darker, ellipse, paint, polygon, solid
from models.people.look import CLOTHES, Random, jitter, pick
from models.people.things.plants import WOOD


def floor_lamp(canvas: Canvas, rng: Random) -> None:
    """A lamp with a shade."""
    tall = rng.uniform(0.75, 1.0)
    canvas.drawPath(box(-0.012, -tall, 0.012, 0), paint((80, 70, 66)))
    canvas.drawPath(ellipse((0, -0.01), 0.11, 0.025), paint((80, 70, 66)))
    shade = polygon([(-0.1, -tall - 0.12), (0.1, -tall - 0.12), (0.17, -tall + 0.12), (-0.17, -tall + 0.12)])
    solid(canvas, shade, jitter(rng, pick(rng, CLOTHES)), 0.04)


def bench(canvas: Canvas, rng: Random) -> None:
    """A bench with a back."""
    color = jitter(rng, pick(rng, [WOOD, (170, 120, 80), (90, 130, 110)]))
    for x in (-0.38, 0.38):
        canvas.drawPath(box(x - 0.025, -0.5, x + 0.025, 0), paint((70, 72, 80)))
    for y in (-0.48, -0.37, -0.25):
        solid(canvas, box(-0.48, y, 0.48, y + 0.075, 0.015), color, 0.012)


def chair(canvas: Canvas, rng: Random) -> None:
    """A plain chair."""
    color = jitter(rng, pick(rng, [WOOD, *CLOTHES]))
    for x in (-0.15, 0.15):
        canvas.drawPath(box(x - 0.018, -0.27, x + 0.018, 0), paint(darker(color, 0.4)))
    solid(canvas, box(-0.17, -0.56, 0.17, -0.3, 0.04), darker(color, 0.1), 0.02)
    solid(canvas, box(-0.19, -0.3, 0.19, -0.23, 0.02), color, 0.02)


def table(canvas: Canvas, rng: Random) -> None:
    """A table with a vase or a cup."""
    color = jitter(rng, pick(rng, [WOOD, (226, 210, 190), (190, 140, 96)]))
    for x in (-0.38, 0.38):
        canvas.drawPath(box(x - 0.022, -0.4, x + 0.022, 0), paint(darker(color, 0.3)))
    solid(canvas, box(-0.46, -0.45, 0.46, -0.38, 0.01), color, 0.02)
    solid(canvas, box(-0.05, -0.57, 0.04, -0.45, 0.02), pick(rng, CLOTHES), 0.02)


def sofa(canvas: Canvas, rng: Random) -> None:
    """A sofa for two."""
    color = jitter(rng, pick(rng, CLOTHES))
    solid(canvas, box(-0.6, -0.52, 0.6, -0.05, 0.08), darker(color, 0.12), 0.03)
    for left in (-0.5, 0.01):
        solid(canvas, box(left, -0.3, left + 0.49, -0.12, 0.04), color, 0.03)
    for left in (-0.68, 0.5):
        solid(canvas, box(left, -0.4, left + 0.18, -0.03, 0.07), color, 0.03)
