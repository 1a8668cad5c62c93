"""Places: each function paints one over the whole canvas and returns the height of its horizon."""

from collections.abc import Callable

import numpy as np
import skia

from models.people.ink import Canvas, Color, blob, box, clipped, darker, ellipse, gradient, lighter
from models.people.ink import mix, paint, polygon, solid
from models.people.look import CLOTHES, Random, jitter, pick

SKIES: list[tuple[Color, Color]] = [
    ((120, 190, 235), (222, 240, 246)), ((90, 160, 220), (250, 232, 200)),
    ((246, 170, 120), (252, 226, 180)), ((160, 200, 220), (240, 236, 226)),
    ((48, 62, 112), (150, 120, 150)), ((236, 150, 150), (250, 214, 170)),
]  # fmt: skip
GREENS: list[Color] = [(122, 182, 92), (150, 196, 110), (96, 160, 100), (168, 190, 96)]
WALLS: list[Color] = [
    (240, 224, 200), (206, 222, 222), (232, 200, 186), (196, 208, 184), (226, 222, 232),
    (150, 170, 190), (248, 238, 224), (120, 140, 140), (240, 206, 140),
]  # fmt: skip
FLOORS: list[Color] = [(196, 150, 108), (168, 124, 92), (214, 188, 156), (150, 140, 136), (110, 84, 72)]


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
        x, y, size = rng.uniform(0, width), rng.uniform(0, 0.7) * horizon, rng.uniform(0.05, 0.12) * width
        for shift, grow in ((-0.8, 0.55), (0.0, 0.8), (0.8, 0.6)):
            puff = ellipse((x + shift * size, y - grow * size * 0.3), size * grow, size * grow * 0.7)
            with clipped(canvas, box(0, 0, width, y)):
                canvas.drawPath(puff, paint((255, 255, 255), 0.8))


def ground(canvas: Canvas, width: float, height: float, horizon: float, color: Color) -> None:
    """A floor that gets lighter with distance."""
    area = skia.Rect(0, horizon, width, height)
    canvas.drawRect(area, gradient((0, horizon), (0, height), [lighter(color, 0.18), darker(color, 0.08)]))


def hills(canvas: Canvas, width: float, horizon: float, rng: Random) -> None:
    """Ridges behind the horizon, the further the paler."""
    base = jitter(rng, pick(rng, GREENS))
    for depth in (0.5, 0.25):
        tops = [horizon - rng.uniform(0.05, 0.3) * horizon * (0.5 + depth) for _ in range(6)]
        xs = np.linspace(-0.2 * width, 1.2 * width, 6)
        ridge = [*zip(xs, tops, strict=True), (1.6 * width, horizon * 1.2), (-0.6 * width, horizon * 1.2)]
        canvas.drawPath(blob(ridge), paint(mix(base, (190, 214, 222), depth)))


def treeline(canvas: Canvas, width: float, horizon: float, rng: Random) -> None:
    """A row of round trees on the horizon."""
    base = darker(jitter(rng, pick(rng, GREENS)), 0.15)
    x = -0.05 * width
    while x < 1.05 * width:
        size = rng.uniform(0.04, 0.09) * width
        solid(canvas, ellipse((x, horizon - size * 0.8), size, size * 1.1), jitter(rng, base), size * 0.2)
        x += size * rng.uniform(0.9, 2.2)


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
        path = polygon([(far, horizon), (far + 0.05 * width, horizon), (near + 0.5 * width, height), (near, height)])
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
        for index, (a, b) in enumerate(zip(slats, slats[1:], strict=False)):
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
            canvas.drawPath(box(x * width, lane, (x + 0.1) * width, lane + 0.012 * height), paint((240, 236, 220)))
    else:
        for x in np.linspace(-1, 2, 19):
            canvas.drawLine(width * (0.5 + (x - 0.5) * 0.5), horizon, width * x, height,
                            paint(darker(pavement, 0.15), 1, 1.5))  # fmt: skip
    return horizon - 0.1 * height


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
        x, y, w, h = rng.uniform(0.05, 0.7) * width, 0.1 * height, 0.26 * width, 0.32 * height
        frame = lighter(wall, 0.7)
        canvas.drawPath(box(x, y, x + w, y + h), gradient((x, y), (x, y + h), list(pick(rng, SKIES))))
        canvas.drawPath(box(x, y, x + w, y + h), paint(frame, 1, 0.014 * width))
        canvas.drawLine(x + w / 2, y, x + w / 2, y + h, paint(frame, 1, 0.01 * width))
        for side in (x - 0.05 * width, x + w - 0.01 * width):
            drape = box(side, y - 0.02 * height, side + 0.06 * width, y + h * 1.25, 0.01 * width)
            solid(canvas, drape, jitter(rng, pick(rng, CLOTHES)), 0.012 * width)
    for _ in range(int(rng.integers(0, 4))):
        x, y, w = rng.uniform(0, 0.9) * width, rng.uniform(0.05, 0.35) * height, rng.uniform(0.06, 0.14) * width
        h = w * rng.uniform(0.7, 1.4)
        canvas.drawPath(box(x, y, x + w, y + h), paint(pick(rng, CLOTHES)))
        canvas.drawPath(ellipse((x + w / 2, y + h * 0.6), w * 0.3, h * 0.25), paint(pick(rng, CLOTHES)))
        canvas.drawPath(box(x, y, x + w, y + h), paint((92, 70, 58), 1, 0.008 * width))
    if rng.random() < 0.4:
        x, y = rng.uniform(0, 0.7) * width, rng.uniform(0.3, 0.45) * height
        canvas.drawPath(box(x, y, x + 0.26 * width, y + 0.015 * height), paint((120, 88, 66)))
        for i in range(8):
            book = x + 0.01 * width + i * 0.03 * width
            tall = rng.uniform(0.06, 0.11) * height
            canvas.drawPath(box(book, y - tall, book + 0.022 * width, y), paint(pick(rng, CLOTHES)))
    if rng.random() < 0.5:
        rug = ellipse((rng.uniform(0.3, 0.7) * width, (edge + height) / 2), 0.34 * width, 0.3 * (height - edge))
        solid(canvas, rug, jitter(rng, pick(rng, CLOTHES)), 0.0)
        canvas.drawPath(rug, paint((250, 240, 220), 0.7, 0.012 * width))
    return edge - 0.22 * height


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
    canvas.drawPath(polygon([(0, height), *[(x, y - 0.012 * height) for x, y in edge], (width, height)]),
                    paint((250, 250, 244)))  # fmt: skip
    canvas.drawPath(polygon([(0, height), *edge, (width, height)]), paint(sand))
    for _ in range(int(rng.integers(10, 50))):
        dot = rng.uniform(0, width), rng.uniform(shore + 0.02 * height, height)
        canvas.drawPath(ellipse(dot, 0.004 * width, 0.002 * width), paint(darker(sand, 0.2)))
    return horizon


def plain(canvas: Canvas, width: float, height: float, rng: Random) -> float:
    """A gradient with a few large soft shapes."""
    colors = [jitter(rng, pick(rng, [*WALLS, *CLOTHES])) for _ in range(2)]
    canvas.drawPaint(gradient((0, 0), (width * rng.uniform(0, 1), height), colors))
    for _ in range(int(rng.integers(0, 7))):
        spot = rng.uniform(0, width), rng.uniform(0, height)
        size = rng.uniform(0.05, 0.3) * width
        canvas.drawPath(ellipse(spot, size, size * rng.uniform(0.5, 1.2)), paint(lighter(pick(rng, colors), 0.3), 0.5))
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
        corners = rng.uniform(-step, step, (5, 2)) + (x, y)
        canvas.drawPath(blob(corners), paint(jitter(rng, pick(rng, [first, second, *CLOTHES[:4]])), 0.7))
    return height * rng.uniform(0.2, 0.5)


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


Backdrop = Callable[[Canvas, float, float, Random], float]
ALL: list[Backdrop] = [park, street, room, beach, plain, pattern, court]
