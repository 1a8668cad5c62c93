"""Animals."""

from models.people.ink import Canvas, blob, darker, ellipse, lighter, paint, polygon, solid, taper
from models.people.look import Random, jitter, pick


def dog(canvas: Canvas, rng: Random) -> None:
    """A dog; a small one with pointed ears is a cat."""
    coat = jitter(
        rng,
        pick(rng, [(170, 120, 76), (70, 58, 56), (232, 214, 186), (150, 150, 156), (110, 76, 54)]),
    )
    size = rng.uniform(0.6, 1.1)
    canvas.save()
    canvas.scale(size * float(pick(rng, [-1, 1])), size)
    for x, shade in ((-0.17, 0.3), (0.15, 0.3), (-0.22, 0.0), (0.2, 0.0)):
        canvas.drawPath(taper((x, -0.2), (x, -0.02), 0.04, 0.025), paint(darker(coat, shade)))
    canvas.drawPath(taper((-0.24, -0.3), (-0.38, -0.46), 0.03, 0.015), paint(coat))
    solid(canvas, taper((-0.2, -0.28), (0.2, -0.3), 0.1, 0.115), coat, 0.03)
    solid(canvas, taper((0.2, -0.34), (0.3, -0.48), 0.075, 0.085), coat, 0.02)
    solid(canvas, taper((0.3, -0.48), (0.42, -0.45), 0.06, 0.038), lighter(coat, 0.15), 0.015)
    canvas.drawPath(ellipse((0.455, -0.465), 0.018, 0.015), paint((30, 26, 30)))
    canvas.drawPath(ellipse((0.33, -0.5), 0.013, 0.016), paint((30, 26, 30)))
    canvas.drawPath(blob([(0.24, -0.56), (0.3, -0.54), (0.26, -0.38), (0.19, -0.42)]), paint(darker(coat, 0.35)))
    canvas.restore()


def bird(canvas: Canvas, rng: Random) -> None:
    """A bird on the ground."""
    color = jitter(rng, pick(rng, [(120, 130, 146), (240, 240, 236), (80, 120, 170), (60, 52, 56)]))
    for x in (-0.01, 0.03):
        canvas.drawLine(x, -0.08, x, 0, paint((230, 140, 60), 1, 0.012))
    solid(canvas, taper((-0.08, -0.11), (0.05, -0.14), 0.03, 0.06), color, 0.02)
    canvas.drawPath(ellipse((0.08, -0.21), 0.04, 0.04), paint(color))
    canvas.drawPath(polygon([(0.11, -0.22), (0.11, -0.19), (0.16, -0.2)]), paint((236, 150, 60)))
