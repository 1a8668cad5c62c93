"""Abstract backgrounds: colours and patterns."""

import numpy as np

from models.people.ink import Canvas, blob, box, ellipse, gradient, lighter, paint
from models.people.look import CLOTHES, Random, jitter, pick
from models.people.places.palette import WALLS


def plain(canvas: Canvas, width: float, height: float, rng: Random) -> float:
    """A gradient with a few large soft shapes."""
    colors = [jitter(rng, pick(rng, [*WALLS, *CLOTHES])) for _ in range(2)]
    canvas.drawPaint(gradient((0, 0), (width * rng.uniform(0, 1), height), colors))
    for _ in range(int(rng.integers(0, 7))):
        spot = rng.uniform(0, width), rng.uniform(0, height)
        size = rng.uniform(0.05, 0.3) * width
        canvas.drawPath(
            ellipse(spot, size, size * rng.uniform(0.5, 1.2)),
            paint(lighter(pick(rng, colors), 0.3), 0.5),
        )
    return height * rng.uniform(0.2, 0.5)


def pattern(canvas: Canvas, width: float, height: float, rng: Random) -> float:
    """Tiles, stripes or scattered scraps."""
    first, second = (jitter(rng, pick(rng, [*WALLS, *CLOTHES])) for _ in range(2))
    canvas.drawPaint(paint(first))
    step = rng.uniform(0.04, 0.2) * width
    kind = int(rng.integers(3))
    canvas.save()
    canvas.translate(width / 2, height / 2)
    canvas.rotate(float(pick(rng, [0, 0, 45, 90, 15])))
    cells = np.arange(-1.5 * max(width, height), 1.5 * max(width, height), step)
    for row, y in enumerate(cells if kind < 2 else cells[:0]):
        if kind == 0 and row % 2:
            canvas.drawPath(box(cells[0], y, -cells[0], y + step), paint(second))
        for x in cells[row % 2 :: 2] if kind == 1 else ():
            canvas.drawPath(box(x, y, x + step, y + step), paint(second))
    canvas.restore()
    for _ in range(int(rng.integers(30, 120)) if kind == 2 else 0):
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        corners = [*(rng.uniform(-step, step, (5, 2)) + np.array([x, y]))]
        canvas.drawPath(blob(corners), paint(jitter(rng, pick(rng, [first, second, *CLOTHES[:4]])), 0.7))
    return height * rng.uniform(0.2, 0.5)
