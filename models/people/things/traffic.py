"""Things by the road."""

from itertools import pairwise

from models.people.ink import Canvas, box, ellipse, paint, polygon, solid
from models.people.look import CLOTHES, Random, jitter, pick


def lamp(canvas: Canvas, rng: Random) -> None:
    """A street lamp."""
    tall = rng.uniform(1.5, 2.2)
    iron = pick(rng, [(60, 66, 78), (90, 100, 104)])
    solid(canvas, box(-0.022, -tall, 0.022, 0), iron, 0.012)
    solid(canvas, box(-0.06, -0.1, 0.06, 0, 0.02), iron, 0.02)
    canvas.drawPath(ellipse((0, -tall), 0.1, 0.13), paint((255, 240, 190)))
    canvas.drawPath(box(-0.11, -tall - 0.15, 0.11, -tall - 0.1, 0.02), paint(iron))


def sign(canvas: Canvas, rng: Random) -> None:
    """A post with a plate: round, square or three-cornered."""
    tall = rng.uniform(0.9, 1.4)
    solid(canvas, box(-0.018, -tall, 0.018, 0), (140, 144, 150), 0.01)
    color = jitter(rng, pick(rng, CLOTHES))
    plates = [ellipse((0, -tall), 0.16, 0.16), box(-0.26, -tall - 0.13, 0.26, -tall + 0.13, 0.03),
              polygon([(-0.19, -tall + 0.13), (0.19, -tall + 0.13), (0, -tall - 0.2)])]  # fmt: skip
    plate = pick(rng, plates)
    solid(canvas, plate, color, 0.02)
    canvas.drawPath(plate, paint((250, 246, 238), 1, 0.025))
    canvas.drawPath(box(-0.08, -tall - 0.02, 0.08, -tall + 0.03), paint((250, 246, 238)))


def cone(canvas: Canvas, _: Random) -> None:
    """A traffic cone."""
    solid(
        canvas,
        polygon([(-0.11, 0), (0.11, 0), (0.03, -0.36), (-0.03, -0.36)]),
        (238, 112, 50),
        0.03,
    )
    canvas.drawPath(
        polygon([(-0.078, -0.13), (0.078, -0.13), (0.06, -0.2), (-0.06, -0.2)]),
        paint((250, 246, 240)),
    )


def car(canvas: Canvas, rng: Random) -> None:
    """A car from the side."""
    color = jitter(rng, pick(rng, CLOTHES))
    cabin = polygon([(-0.62, -0.48), (-0.42, -0.8), (0.28, -0.8), (0.58, -0.48)])
    solid(canvas, cabin, color, 0.02)
    canvas.drawPath(
        polygon([(-0.5, -0.5), (-0.36, -0.74), (-0.08, -0.74), (-0.08, -0.5)]),
        paint((176, 210, 224)),
    )
    canvas.drawPath(
        polygon([(-0.02, -0.5), (-0.02, -0.74), (0.24, -0.74), (0.44, -0.5)]),
        paint((176, 210, 224)),
    )
    solid(canvas, box(-1.0, -0.52, 1.0, -0.16, 0.12), color, 0.05)
    canvas.drawPath(ellipse((0.95, -0.38), 0.05, 0.06), paint((255, 242, 190)))
    for x in (-0.6, 0.6):
        canvas.drawPath(ellipse((x, -0.17), 0.18, 0.18), paint((44, 44, 52)))
        canvas.drawPath(ellipse((x, -0.17), 0.08, 0.08), paint((190, 194, 200)))


def bicycle(canvas: Canvas, rng: Random) -> None:
    """A parked bicycle."""
    color = jitter(rng, pick(rng, CLOTHES))
    for x in (-0.32, 0.32):
        canvas.drawPath(ellipse((x, -0.2), 0.19, 0.19), paint((52, 52, 60), 1, 0.025))
    frame = [(-0.32, -0.2), (-0.12, -0.46), (0.24, -0.46), (0.0, -0.2), (-0.32, -0.2)]
    for (ax, ay), (bx, by) in [*pairwise(frame), ((0.0, -0.2), (-0.14, -0.52)),
                               ((0.32, -0.2), (0.22, -0.58)), ((0.22, -0.58), (0.3, -0.6)),
                               ((-0.2, -0.53), (-0.08, -0.53))]:  # fmt: skip
        canvas.drawLine(ax, ay, bx, by, paint(color, 1, 0.03))
