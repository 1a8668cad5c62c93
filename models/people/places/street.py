"""A street."""

from itertools import pairwise

import numpy as np

from models.people.ink import Canvas, box, darker, lighter, paint
from models.people.look import CLOTHES, Random, jitter, pick
from models.people.places.landscape import ground, sky
from models.people.places.palette import WALLS


def facade(canvas: Canvas, left: float, right: float, top: float, bottom: float, rng: Random) -> None:
    """A house front with windows and perhaps a shop."""
    wall = jitter(rng, pick(rng, [*WALLS, *CLOTHES[:6]]))
    canvas.drawPath(box(left, top, right, bottom), paint(wall))
    canvas.drawPath(box(left, top, right, top + 0.02 * (bottom - top)), paint(darker(wall, 0.3)))
    columns, rows = int(rng.integers(2, 5)), int(rng.integers(2, 6))
    step_x, step_y = (right - left) / columns, (bottom - top) * 0.8 / rows
    glass = pick(rng, [(150, 190, 210), (90, 110, 140), (250, 224, 150)])
    for column in range(columns):
        for row in range(rows):
            x, y = left + (column + 0.25) * step_x, top + (row + 0.3) * step_y
            pane = box(x, y, x + step_x * 0.5, y + step_y * 0.6)
            canvas.drawPath(pane, paint(glass))
            canvas.drawPath(pane, paint(lighter(wall, 0.4), 1, step_x * 0.04))
    if rng.random() < 0.6:
        shop = bottom - (bottom - top) * 0.17
        canvas.drawPath(box(left + step_x * 0.15, shop, right - step_x * 0.15, bottom), paint((70, 84, 100)))
        awning = jitter(rng, pick(rng, CLOTHES))
        slats = np.linspace(left, right, 9)
        for index, (a, b) in enumerate(pairwise(slats)):
            shade = awning if index % 2 else (248, 244, 236)
            canvas.drawPath(box(a, shop - 0.03 * (bottom - top), b, shop + 0.03 * (bottom - top)), paint(shade))


def street(canvas: Canvas, width: float, height: float, rng: Random) -> float:
    """House fronts, pavement and a road."""
    horizon = height * rng.uniform(0.45, 0.62)
    sky(canvas, width, horizon, rng)
    left = -rng.uniform(0, 0.2) * width
    while left < width:
        right = left + rng.uniform(0.18, 0.4) * width
        facade(canvas, left, right, horizon * rng.uniform(-0.1, 0.55), horizon + 2, rng)
        left = right
    pavement = jitter(rng, (206, 200, 192))
    ground(canvas, width, height, horizon, pavement)
    curb = horizon + (height - horizon) * rng.uniform(0.35, 0.7)
    if rng.random() < 0.7:
        canvas.drawPath(box(0, curb, width, height), paint(jitter(rng, (104, 108, 118))))
        canvas.drawPath(box(0, curb, width, curb + 0.012 * height), paint((228, 224, 216)))
        lane = (curb + height) / 2
        for x in np.arange(rng.uniform(-0.1, 0), 1, 0.2):
            canvas.drawPath(
                box(x * width, lane, (x + 0.1) * width, lane + 0.012 * height),
                paint((240, 236, 220)),
            )
    else:
        for x in np.linspace(-1, 2, 19):
            canvas.drawLine(width * (0.5 + (x - 0.5) * 0.5), horizon, width * x, height,
                            paint(darker(pavement, 0.15), 1, 1.5))  # fmt: skip
    return horizon - 0.1 * height
