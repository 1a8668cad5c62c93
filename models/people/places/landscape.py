"""Outdoor backgrounds: sky, ground, hills and distant trees."""

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
    gradient,
    lighter,
    mix,
    paint,
    solid,
)
from models.people.look import Random, jitter, pick
from models.people.places.palette import GREENS, SKIES


def sky(canvas: Canvas, width: float, horizon: float, rng: Random) -> None:
    """A sky down to the horizon, with a sun and clouds."""
    high, low = pick(rng, SKIES)
    colors = [jitter(rng, high), jitter(rng, low)]
    canvas.drawRect(skia.Rect(0, 0, width, horizon + 1), gradient((0, 0), (0, horizon), colors))
    if rng.random() < 0.6:
        size = horizon * rng.uniform(0.08, 0.2)
        spot = rng.uniform(0, width), rng.uniform(0.1, 0.6) * horizon
        canvas.drawPath(ellipse(spot, size * 1.7, size * 1.7), paint((255, 246, 214), 0.35))
        canvas.drawPath(ellipse(spot, size, size), paint((255, 242, 196)))
    for _ in range(int(rng.integers(0, 5))):
        x, y, size = (
            rng.uniform(0, width),
            rng.uniform(0, 0.7) * horizon,
            rng.uniform(0.05, 0.12) * width,
        )
        for shift, grow in ((-0.8, 0.55), (0.0, 0.8), (0.8, 0.6)):
            puff = ellipse((x + shift * size, y - grow * size * 0.3), size * grow, size * grow * 0.7)
            with clipped(canvas, box(0, 0, width, y)):
                canvas.drawPath(puff, paint((255, 255, 255), 0.8))


def ground(canvas: Canvas, width: float, height: float, horizon: float, color: Color) -> None:
    """A floor that gets lighter with distance."""
    area = skia.Rect(0, horizon, width, height)
    canvas.drawRect(area, gradient((0, horizon), (0, height), [lighter(color, 0.18), darker(color, 0.08)]))


def hills(canvas: Canvas, width: float, horizon: float, rng: Random) -> None:
    """Ridges behind the horizon, paler with distance."""
    base = jitter(rng, pick(rng, GREENS))
    for depth in (0.5, 0.25):
        tops = [horizon - rng.uniform(0.05, 0.3) * horizon * (0.5 + depth) for _ in range(6)]
        xs = np.linspace(-0.2 * width, 1.2 * width, 6)
        ridge = [
            *zip(xs, tops, strict=True),
            (1.6 * width, horizon * 1.2),
            (-0.6 * width, horizon * 1.2),
        ]
        canvas.drawPath(blob(ridge), paint(mix(base, (190, 214, 222), depth)))


def treeline(canvas: Canvas, width: float, horizon: float, rng: Random) -> None:
    """A row of round trees on the horizon."""
    base = darker(jitter(rng, pick(rng, GREENS)), 0.15)
    x = -0.05 * width
    while x < 1.05 * width:
        size = rng.uniform(0.04, 0.09) * width
        solid(
            canvas,
            ellipse((x, horizon - size * 0.8), size, size * 1.1),
            jitter(rng, base),
            size * 0.2,
        )
        x += size * rng.uniform(0.9, 2.2)
