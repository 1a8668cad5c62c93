"""A sports hall."""

from models.people.ink import Canvas, box, darker, ellipse, paint
from models.people.look import Random, jitter, pick
from models.people.places.landscape import ground
from models.people.places.palette import WALLS


def court(canvas: Canvas, width: float, height: float, rng: Random) -> float:
    """A sports hall: floor with lines and a wall."""
    edge = height * rng.uniform(0.35, 0.55)
    wall = jitter(rng, pick(rng, WALLS))
    canvas.drawPath(box(0, 0, width, edge), paint(wall))
    canvas.drawPath(box(0, edge * 0.7, width, edge), paint(darker(wall, 0.2)))
    floor = jitter(rng, pick(rng, [(214, 140, 90), (70, 130, 180), (90, 150, 110), (180, 90, 80)]))
    ground(canvas, width, height, edge, floor)
    line = paint((248, 244, 236), 0.9, 0.008 * width)
    canvas.drawPath(ellipse((0.5 * width, 0.8 * height), 0.3 * width, 0.1 * height), line)
    canvas.drawLine(0, 0.8 * height, width, 0.8 * height, line)
    return edge - 0.1 * height
