"""Things that are nobody: each function draws one on the ground at (0, 0), y down.

The unit is the height of a grown-up who would stand at the same place.
"""

from collections.abc import Callable

import numpy as np

from models.people.ink import Canvas, Color, blob, box, clipped, darker, ellipse, lighter, mix, paint
from models.people.ink import polygon, solid, taper, union
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
            solid(canvas, polygon([(-half, -tall * share), (half, -tall * share), (0, -tall * (share + 0.4))]), green, 0.06)
        return
    puffs = [ellipse((rng.uniform(-0.3, 0.3), -tall * rng.uniform(0.6, 0.9)), *rng.uniform(0.25, 0.42, 2)) for _ in range(5)]
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


def lamp(canvas: Canvas, rng: Random) -> None:
    """A street lamp."""
    tall = rng.uniform(1.5, 2.2)
    iron = pick(rng, [(60, 66, 78), (90, 100, 104)])
    solid(canvas, box(-0.022, -tall, 0.022, 0), iron, 0.012)
    solid(canvas, box(-0.06, -0.1, 0.06, 0, 0.02), iron, 0.02)
    canvas.drawPath(ellipse((0, -tall), 0.1, 0.13), paint((255, 240, 190)))
    canvas.drawPath(box(-0.11, -tall - 0.15, 0.11, -tall - 0.1, 0.02), paint(iron))


def floor_lamp(canvas: Canvas, rng: Random) -> None:
    """A lamp with a shade."""
    tall = rng.uniform(0.75, 1.0)
    canvas.drawPath(box(-0.012, -tall, 0.012, 0), paint((80, 70, 66)))
    canvas.drawPath(ellipse((0, -0.01), 0.11, 0.025), paint((80, 70, 66)))
    shade = polygon([(-0.1, -tall - 0.12), (0.1, -tall - 0.12), (0.17, -tall + 0.12), (-0.17, -tall + 0.12)])
    solid(canvas, shade, jitter(rng, pick(rng, CLOTHES)), 0.04)


def crate(canvas: Canvas, rng: Random) -> None:
    """A box, or two."""
    for level in range(int(rng.integers(1, 3))):
        size = rng.uniform(0.25, 0.42)
        base = -0.34 * level
        color = jitter(rng, pick(rng, [(206, 160, 106), *CLOTHES]))
        solid(canvas, box(-size / 2, base - size * 0.85, size / 2, base, 0.01), color, 0.04)
        canvas.drawPath(box(-0.03, base - size * 0.85, 0.03, base), paint(lighter(color, 0.3)))


def ball(canvas: Canvas, rng: Random) -> None:
    """A ball on the ground or in the air."""
    size, up = rng.uniform(0.06, 0.14), float(pick(rng, [0.0, 0.0, 0.6, 1.1]))
    shape = ellipse((0, -size - up), size, size)
    color = jitter(rng, pick(rng, CLOTHES))
    solid(canvas, shape, color, size * 0.35)
    with clipped(canvas, shape):
        canvas.drawPath(ellipse((size * 0.8, -size - up), size, size), paint(lighter(color, 0.5), 1, 0.02))


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


def cone(canvas: Canvas, rng: Random) -> None:
    """A traffic cone."""
    solid(canvas, polygon([(-0.11, 0), (0.11, 0), (0.03, -0.36), (-0.03, -0.36)]), (238, 112, 50), 0.03)
    canvas.drawPath(polygon([(-0.078, -0.13), (0.078, -0.13), (0.06, -0.2), (-0.06, -0.2)]), paint((250, 246, 240)))


def bench(canvas: Canvas, rng: Random) -> None:
    """A bench with a back."""
    color = jitter(rng, pick(rng, [WOOD, (170, 120, 80), (90, 130, 110)]))
    for x in (-0.38, 0.38):
        canvas.drawPath(box(x - 0.025, -0.5, x + 0.025, 0), paint((70, 72, 80)))
    for y in (-0.48, -0.37, -0.25):
        solid(canvas, box(-0.48, y, 0.48, y + 0.075, 0.015), color, 0.012)


def chair(canvas: Canvas, rng: Random) -> None:
    """A plain chair."""
    color = jitter(rng, pick(rng, [WOOD, *CLOTHES]))
    for x in (-0.15, 0.15):
        canvas.drawPath(box(x - 0.018, -0.27, x + 0.018, 0), paint(darker(color, 0.4)))
    solid(canvas, box(-0.17, -0.56, 0.17, -0.3, 0.04), darker(color, 0.1), 0.02)
    solid(canvas, box(-0.19, -0.3, 0.19, -0.23, 0.02), color, 0.02)


def table(canvas: Canvas, rng: Random) -> None:
    """A table with a vase or a cup."""
    color = jitter(rng, pick(rng, [WOOD, (226, 210, 190), (190, 140, 96)]))
    for x in (-0.38, 0.38):
        canvas.drawPath(box(x - 0.022, -0.4, x + 0.022, 0), paint(darker(color, 0.3)))
    solid(canvas, box(-0.46, -0.45, 0.46, -0.38, 0.01), color, 0.02)
    solid(canvas, box(-0.05, -0.57, 0.04, -0.45, 0.02), pick(rng, CLOTHES), 0.02)


def sofa(canvas: Canvas, rng: Random) -> None:
    """A sofa for two."""
    color = jitter(rng, pick(rng, CLOTHES))
    solid(canvas, box(-0.6, -0.52, 0.6, -0.05, 0.08), darker(color, 0.12), 0.03)
    for left in (-0.5, 0.01):
        solid(canvas, box(left, -0.3, left + 0.49, -0.12, 0.04), color, 0.03)
    for left in (-0.68, 0.5):
        solid(canvas, box(left, -0.4, left + 0.18, -0.03, 0.07), color, 0.03)


def potted_plant(canvas: Canvas, rng: Random) -> None:
    """Leaves in a pot."""
    green = jitter(rng, pick(rng, LEAVES))
    for angle in np.linspace(-0.9, 0.9, 6):
        tip = 0.42 * np.sin(angle), -0.24 - rng.uniform(0.3, 0.5) * np.cos(angle)
        leaf = blob([(0, -0.2), (tip[0] * 0.3 - 0.1, tip[1] * 0.6 - 0.1), tip, (tip[0] * 0.8 + 0.08, tip[1] * 0.6)])
        solid(canvas, leaf, jitter(rng, green), 0.02)
    solid(canvas, polygon([(-0.13, -0.26), (0.13, -0.26), (0.09, 0), (-0.09, 0)]), jitter(rng, pick(rng, CLOTHES)), 0.03)


def dog(canvas: Canvas, rng: Random) -> None:
    """A dog on four legs; small and eared, it is a cat."""
    coat = jitter(rng, pick(rng, [(170, 120, 76), (70, 58, 56), (232, 214, 186), (150, 150, 156), (110, 76, 54)]))
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


def car(canvas: Canvas, rng: Random) -> None:
    """A car from the side."""
    color = jitter(rng, pick(rng, CLOTHES))
    cabin = polygon([(-0.62, -0.48), (-0.42, -0.8), (0.28, -0.8), (0.58, -0.48)])
    solid(canvas, cabin, color, 0.02)
    canvas.drawPath(polygon([(-0.5, -0.5), (-0.36, -0.74), (-0.08, -0.74), (-0.08, -0.5)]), paint((176, 210, 224)))
    canvas.drawPath(polygon([(-0.02, -0.5), (-0.02, -0.74), (0.24, -0.74), (0.44, -0.5)]), paint((176, 210, 224)))
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
    for (ax, ay), (bx, by) in [*zip(frame, frame[1:], strict=False), ((0.0, -0.2), (-0.14, -0.52)),
                               ((0.32, -0.2), (0.22, -0.58)), ((0.22, -0.58), (0.3, -0.6)),
                               ((-0.2, -0.53), (-0.08, -0.53))]:  # fmt: skip
        canvas.drawLine(ax, ay, bx, by, paint(color, 1, 0.03))


def parasol(canvas: Canvas, rng: Random) -> None:
    """A beach umbrella."""
    colors = [jitter(rng, pick(rng, CLOTHES)), (250, 246, 236)]
    canvas.drawPath(box(-0.015, -1.2, 0.015, 0), paint((220, 214, 204)))
    with clipped(canvas, box(-1, -2, 1, -0.95)):
        for index, half in enumerate((0.62, 0.4, 0.16)):
            canvas.drawPath(ellipse((0, -0.95), half, 0.42), paint(colors[index % 2]))


def balloons(canvas: Canvas, rng: Random) -> None:
    """Balloons on strings."""
    for _ in range(int(rng.integers(1, 4))):
        spot = rng.uniform(-0.25, 0.25), -rng.uniform(0.9, 1.4)
        canvas.drawLine(0, -0.4, *spot, paint((240, 240, 240), 0.8, 0.008))
        solid(canvas, ellipse(spot, 0.11, 0.14), jitter(rng, pick(rng, CLOTHES)), 0.03)


def bags(canvas: Canvas, rng: Random) -> None:
    """A suitcase or a bin."""
    color = jitter(rng, pick(rng, CLOTHES))
    solid(canvas, box(-0.15, -0.42, 0.15, -0.02, 0.04), color, 0.03)
    canvas.drawPath(box(-0.06, -0.52, 0.06, -0.4, 0.02), paint((70, 70, 76), 1, 0.02))
    for y in (-0.32, -0.16):
        canvas.drawLine(-0.13, y, 0.13, y, paint(darker(color, 0.3), 1, 0.012))


def snowman(canvas: Canvas, rng: Random) -> None:
    """Three balls with a carrot: like a person, and none."""
    for y, size in ((-0.2, 0.22), (-0.52, 0.16), (-0.76, 0.11)):
        solid(canvas, ellipse((0, y), size, size), (238, 244, 250), 0.03)
    canvas.drawPath(polygon([(0, -0.78), (0, -0.74), (0.14, -0.755)]), paint((240, 140, 60)))
    solid(canvas, box(-0.1, -1.02, 0.1, -0.84, 0.01), mix((40, 40, 52), pick(rng, CLOTHES), 0.3), 0.02)


def sticks(canvas: Canvas, rng: Random) -> None:
    """Loose bars and discs in the colours of clothes: limbs that make nobody."""
    for _ in range(int(rng.integers(3, 8))):
        start = np.array([rng.uniform(-0.3, 0.3), -rng.uniform(0, 0.7)])
        end = start + rng.uniform(-0.35, 0.35, 2)
        color = jitter(rng, pick(rng, CLOTHES))
        solid(canvas, taper(start, end, *rng.uniform(0.015, 0.06, 2)), color, 0.012)


Thing = Callable[[Canvas, Random], None]
OUTDOORS: list[Thing] = [
    tree, tree, bush, bush, lamp, ball, sign, cone, bench, dog, dog, bird, car, bicycle, balloons,
    bags, crate, snowman,
]  # fmt: skip
INDOORS: list[Thing] = [
    floor_lamp, potted_plant, potted_plant, chair, table, sofa, crate, ball, dog, bags, balloons,
]  # fmt: skip
SEASIDE: list[Thing] = [palm, palm, parasol, parasol, ball, bird, dog, bags, chair, crate]
ANY: list[Thing] = [*OUTDOORS, *INDOORS, *SEASIDE, sticks, sticks, sticks, sticks]
