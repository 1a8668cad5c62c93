"""A park."""

from models.people.ink import Canvas, darker, ellipse, lighter, paint, polygon
from models.people.look import Random, jitter, pick
from models.people.places.landscape import ground, hills, sky, treeline
from models.people.places.palette import GREENS


def park(canvas: Canvas, width: float, height: float, rng: Random) -> float:
    """Grass, hills, trees far off, a path or a pond."""
    horizon = height * rng.uniform(0.25, 0.55)
    sky(canvas, width, horizon, rng)
    hills(canvas, width, horizon, rng)
    if rng.random() < 0.7:
        treeline(canvas, width, horizon, rng)
    grass = jitter(rng, pick(rng, GREENS))
    ground(canvas, width, height, horizon, grass)
    if rng.random() < 0.6:
        far, near = rng.uniform(0.3, 0.7) * width, rng.uniform(-0.2, 1.0) * width
        path = polygon(
            [
                (far, horizon),
                (far + 0.05 * width, horizon),
                (near + 0.5 * width, height),
                (near, height),
            ]
        )
        canvas.drawPath(path, paint((226, 208, 172)))
    elif rng.random() < 0.5:
        pond = rng.uniform(0.2, 0.8) * width, horizon + 0.2 * (height - horizon)
        canvas.drawPath(ellipse(pond, 0.3 * width, 0.07 * height), paint((140, 196, 220)))
    for _ in range(int(rng.integers(5, 40))):
        x, y = rng.uniform(0, width), rng.uniform(horizon + 4, height)
        size = 0.003 * height * (1 + 3 * (y - horizon) / (height - horizon))
        shade = pick(rng, [darker(grass, 0.2), lighter(grass, 0.3), (250, 240, 200), (240, 160, 170)])
        canvas.drawPath(ellipse((x, y), size * 1.3, size), paint(shade))
    return horizon
