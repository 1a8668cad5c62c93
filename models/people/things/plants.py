"""Trees, shrubs and leaves in a pot."""

import numpy as np

from models.people.ink import (
    Canvas,
    Color,
    blob,
    box,
    clipped,
    ellipse,
    paint,
    polygon,
    solid,
    taper,
    union,
)
from models.people.look import CLOTHES, Random, jitter, pick

WOOD: Color = (132, 92, 66)
LEAVES: list[Color] = [(86, 150, 88), (120, 170, 84), (62, 124, 96), (196, 140, 60), (176, 190, 80)]


def tree(canvas: Canvas, rng: Random) -> None:
    """A trunk with a round or a pointed crown."""
    tall = rng.uniform(1.2, 2.2)
    solid(canvas, taper((0, 0), (0, -tall * 0.7), 0.09, 0.05), jitter(rng, WOOD), 0.03)
    green = jitter(rng, pick(rng, LEAVES))
    if rng.random() < 0.35:
        for share in (0.3, 0.52, 0.74):
            half = 0.5 * (1.15 - share)
            solid(
                canvas,
                polygon([(-half, -tall * share), (half, -tall * share), (0, -tall * (share + 0.4))]),
                green,
                0.06,
            )
        return
    puffs = [
        ellipse((rng.uniform(-0.3, 0.3), -tall * rng.uniform(0.6, 0.9)), *rng.uniform(0.25, 0.42, 2)) for _ in range(5)
    ]
    solid(canvas, union(*puffs), green, 0.09)


def palm(canvas: Canvas, rng: Random) -> None:
    """A leaning palm tree."""
    lean, tall = rng.uniform(-0.4, 0.4), rng.uniform(1.3, 1.9)
    solid(canvas, taper((0, 0), (lean, -tall), 0.07, 0.04), (170, 126, 84), 0.02)
    for angle in np.linspace(-2.7, 0.2, 7):
        tip = lean + 0.6 * np.cos(angle), -tall + 0.45 * np.sin(angle) + 0.12
        side = lean + 0.35 * np.cos(angle), -tall + 0.5 * np.sin(angle) - 0.1
        canvas.drawPath(polygon([(lean, -tall), side, tip]), paint(jitter(rng, (70, 150, 90))))


def bush(canvas: Canvas, rng: Random) -> None:
    """A low round shrub, at times in flower."""
    puffs = [ellipse((x, -rng.uniform(0.12, 0.25)), 0.2, 0.22) for x in np.linspace(-0.3, 0.3, 4)]
    with clipped(canvas, box(-2, -2, 2, 0.0)):
        solid(canvas, union(*puffs), jitter(rng, pick(rng, LEAVES)), 0.05)
    for _ in range(int(rng.integers(0, 9))):
        spot = rng.uniform(-0.35, 0.35), -rng.uniform(0.05, 0.35)
        canvas.drawPath(ellipse(spot, 0.025, 0.025), paint(pick(rng, CLOTHES)))


def potted_plant(canvas: Canvas, rng: Random) -> None:
    """Leaves in a pot."""
    green = jitter(rng, pick(rng, LEAVES))
    for angle in np.linspace(-0.9, 0.9, 6):
        tip = 0.42 * np.sin(angle), -0.24 - rng.uniform(0.3, 0.5) * np.cos(angle)
        leaf = blob(
            [
                (0, -0.2),
                (tip[0] * 0.3 - 0.1, tip[1] * 0.6 - 0.1),
                tip,
                (tip[0] * 0.8 + 0.08, tip[1] * 0.6),
            ]
        )
        solid(canvas, leaf, jitter(rng, green), 0.02)
    solid(
        canvas,
        polygon([(-0.13, -0.26), (0.13, -0.26), (0.09, 0), (-0.09, 0)]),
        jitter(rng, pick(rng, CLOTHES)),
        0.03,
    )
