"""A room."""

import numpy as np

from models.people.ink import Canvas, Color, box, darker, ellipse, gradient, lighter, paint, solid
from models.people.look import CLOTHES, Random, jitter, pick
from models.people.places.landscape import ground
from models.people.places.palette import FLOORS, SKIES, WALLS


def window(canvas: Canvas, width: float, height: float, wall: Color, rng: Random) -> None:
    """A window with curtains."""
    x, y, w, h = rng.uniform(0.05, 0.7) * width, 0.1 * height, 0.26 * width, 0.32 * height
    frame = lighter(wall, 0.7)
    pane = box(x, y, x + w, y + h)
    canvas.drawPath(pane, gradient((x, y), (x, y + h), list(pick(rng, SKIES))))
    canvas.drawPath(pane, paint(frame, 1, 0.014 * width))
    canvas.drawLine(x + w / 2, y, x + w / 2, y + h, paint(frame, 1, 0.01 * width))
    for side in (x - 0.05 * width, x + w - 0.01 * width):
        drape = box(side, y - 0.02 * height, side + 0.06 * width, y + h * 1.25, 0.01 * width)
        solid(canvas, drape, jitter(rng, pick(rng, CLOTHES)), 0.012 * width)


def picture(canvas: Canvas, width: float, height: float, rng: Random) -> None:
    """A framed picture."""
    x, y = rng.uniform(0, 0.9) * width, rng.uniform(0.05, 0.35) * height
    w = rng.uniform(0.06, 0.14) * width
    h = w * rng.uniform(0.7, 1.4)
    sheet = box(x, y, x + w, y + h)
    canvas.drawPath(sheet, paint(pick(rng, CLOTHES)))
    spot = ellipse((x + w / 2, y + h * 0.6), w * 0.3, h * 0.25)
    canvas.drawPath(spot, paint(pick(rng, CLOTHES)))
    canvas.drawPath(sheet, paint((92, 70, 58), 1, 0.008 * width))


def shelf(canvas: Canvas, width: float, height: float, rng: Random) -> None:
    """A shelf of books."""
    x, y = rng.uniform(0, 0.7) * width, rng.uniform(0.3, 0.45) * height
    canvas.drawPath(box(x, y, x + 0.26 * width, y + 0.015 * height), paint((120, 88, 66)))
    for i in range(8):
        book = x + 0.01 * width + i * 0.03 * width
        tall = rng.uniform(0.06, 0.11) * height
        canvas.drawPath(box(book, y - tall, book + 0.022 * width, y), paint(pick(rng, CLOTHES)))


def rug(canvas: Canvas, width: float, height: float, edge: float, rng: Random) -> None:
    """A round rug on the floor, which begins at `edge`."""
    middle = rng.uniform(0.3, 0.7) * width, (edge + height) / 2
    shape = ellipse(middle, 0.34 * width, 0.3 * (height - edge))
    solid(canvas, shape, jitter(rng, pick(rng, CLOTHES)))
    canvas.drawPath(shape, paint((250, 240, 220), 0.7, 0.012 * width))


def room(canvas: Canvas, width: float, height: float, rng: Random) -> float:
    """A wall with a window, pictures and a shelf, and a floor with a rug."""
    edge = height * rng.uniform(0.55, 0.75)
    wall, floor = jitter(rng, pick(rng, WALLS)), jitter(rng, pick(rng, FLOORS))
    canvas.drawPath(box(0, 0, width, edge), paint(wall))
    ground(canvas, width, height, edge, floor)
    if rng.random() < 0.5:
        for y in np.linspace(edge, height, 7)[1:]:
            canvas.drawLine(0, y, width, y, paint(darker(floor, 0.2), 0.6, 1.2))
    canvas.drawPath(box(0, edge - 0.02 * height, width, edge), paint(lighter(wall, 0.55)))
    if rng.random() < 0.7:
        window(canvas, width, height, wall, rng)
    for _ in range(int(rng.integers(0, 4))):
        picture(canvas, width, height, rng)
    if rng.random() < 0.4:
        shelf(canvas, width, height, rng)
    if rng.random() < 0.5:
        rug(canvas, width, height, edge, rng)
    return edge - 0.22 * height
