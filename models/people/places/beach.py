"""A beach."""

import numpy as np

from models.people.ink import Canvas, box, darker, ellipse, gradient, lighter, paint, polygon
from models.people.look import Random, jitter, pick
from models.people.places.landscape import sky


def beach(canvas: Canvas, width: float, height: float, rng: Random) -> float:
    """Sky, sea with foam, sand."""
    horizon = height * rng.uniform(0.28, 0.48)
    sky(canvas, width, horizon, rng)
    shore = horizon + (height - horizon) * rng.uniform(0.15, 0.4)
    sea = jitter(rng, pick(rng, [(60, 150, 190), (80, 180, 190), (50, 110, 160)]))
    colors = [sea, lighter(sea, 0.45)]
    canvas.drawPath(box(0, horizon, width, height), gradient((0, horizon), (0, shore), colors))
    edge = [(x, shore + rng.uniform(-0.015, 0.015) * height) for x in np.linspace(0, width, 9)]
    sand = jitter(rng, (238, 214, 166))
    foam = [(x, y - 0.012 * height) for x, y in edge]
    canvas.drawPath(polygon([(0, height), *foam, (width, height)]), paint((250, 250, 244)))
    canvas.drawPath(polygon([(0, height), *edge, (width, height)]), paint(sand))
    for _ in range(int(rng.integers(10, 50))):
        dot = rng.uniform(0, width), rng.uniform(shore + 0.02 * height, height)
        canvas.drawPath(ellipse(dot, 0.004 * width, 0.002 * width), paint(darker(sand, 0.2)))
    return horizon
