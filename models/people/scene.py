"""A picture: a place, the things and the people in it, and where they are."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import skia

from models.people import backdrop, clutter, look, person, poses
from models.people.ink import Canvas, box, ellipse, paint, solid
from models.people.look import CLOTHES, Random, jitter, pick

Pixels = np.ndarray[Any, np.dtype[np.uint8]]
Array = np.ndarray[Any, np.dtype[np.float64]]
SEEN_SHARE = 0.18  # people of whom less shows are not in the labels


@dataclass(frozen=True)
class Label:
    """One person: box x1 y1 x2 y2 of what shows, area of what shows, key points [17, 3]."""

    box: Array
    area: float
    keypoints: Array


@dataclass(frozen=True)
class Thing:
    """A piece of clutter at (x, y), `height` pixels to the grown-up."""

    draw: clutter.Thing
    x: float
    y: float
    height: float
    seed: int


@dataclass(frozen=True)
class Scene:
    """What a picture shows; drawing it needs nothing else."""

    width: int
    height: int
    place: backdrop.Backdrop
    seed: int
    actors: tuple[person.Person | Thing, ...]


def pixels(image: Any) -> Pixels:
    """A Skia image as [height, width, 4] RGBA, premultiplied."""
    return np.array(image.toarray(colorType=skia.kRGBA_8888_ColorType), dtype=np.uint8)


def shadow(canvas: Canvas, actor: person.Person | Thing) -> None:
    """A soft patch on the ground."""
    half = actor.height * (0.16 if isinstance(actor, person.Person) else 0.2)
    canvas.drawPath(ellipse((actor.x, actor.y), half, half * 0.2), paint((30, 26, 56), 0.2))


def seat(canvas: Canvas, actor: person.Person) -> None:
    """Something for a sitting person to sit on."""
    rng = np.random.default_rng(round(actor.x * 7 + actor.y))
    at = person.joints(actor.look.build, actor.pose)
    high = (person.ground(at) - 0.045) * actor.height
    half = (0.13 + 0.05 * rng.random()) * actor.height
    color = jitter(rng, pick(rng, [*CLOTHES, (150, 108, 78), (190, 150, 110)]))
    shape = box(actor.x - half, actor.y - high, actor.x + half, actor.y, 0.02 * actor.height)
    solid(canvas, shape, color, 0.03 * actor.height)


def render(scene: Scene) -> tuple[Pixels, list[Label]]:
    """Paint a scene: RGB [height, width, 3] and the labels of the people who show in it."""
    surface = skia.Surface(scene.width, scene.height)
    canvas = surface.getCanvas()
    scene.place(canvas, scene.width, scene.height, np.random.default_rng(scene.seed))
    found: list[tuple[Array, Array, float]] = []  # what shows of each, key points, whole area
    for actor in scene.actors:
        shadow(canvas, actor)
        if isinstance(actor, Thing):
            image, points = thing_layer(scene, actor), None
        else:
            if actor.pose.seat:
                seat(canvas, actor)
            image, points = person.layer(actor, scene.width, scene.height)
        canvas.drawImage(image, 0, 0)
        cover = pixels(image)[..., 3] > 127
        found = [(mask & ~cover, hide(keypoints, cover), area) for mask, keypoints, area in found]
        if points is not None:
            found.append((cover, points, float(cover.sum())))
    labels = [
        Label(extent(mask), float(mask.sum()), outside(points, scene))
        for mask, points, area in found
        if mask.sum() >= max(SEEN_SHARE * area, 30)
    ]
    return pixels(surface.makeImageSnapshot())[..., :3], labels


def thing_layer(scene: Scene, thing: Thing) -> Any:
    """A piece of clutter alone on a transparent picture."""
    surface = skia.Surface(scene.width, scene.height)
    canvas = surface.getCanvas()
    canvas.translate(thing.x, thing.y)
    canvas.scale(thing.height, thing.height)
    thing.draw(canvas, np.random.default_rng(thing.seed))
    return surface.makeImageSnapshot()


def hide(points: Array, cover: Array) -> Array:
    """Key points with those under `cover` marked occluded."""
    height, width = cover.shape
    hidden = points.copy()
    for index, (x, y, _) in enumerate(points):
        if 0 <= x < width and 0 <= y < height and cover[int(y), int(x)]:
            hidden[index, 2] = person.OCCLUDED
    return hidden


def outside(points: Array, scene: Scene) -> Array:
    """Key points with those beyond the picture set to zero."""
    inside = (points[:, :2] >= 0).all(1) & (points[:, :2] < (scene.width, scene.height)).all(1)
    return np.where(inside[:, None], points, 0.0)


def extent(mask: Array) -> Array:
    """Box x1 y1 x2 y2 around a mask."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1], dtype=float)


def things_of(place: backdrop.Backdrop) -> list[clutter.Thing]:
    """Clutter that belongs in a place."""
    known = {backdrop.park: clutter.OUTDOORS, backdrop.street: clutter.OUTDOORS,
             backdrop.room: clutter.INDOORS, backdrop.beach: clutter.SEASIDE}  # fmt: skip
    return known.get(place, clutter.ANY)


def head_count(rng: Random) -> int:
    """How many people: often one, two or three, now and then nobody or a crowd."""
    if rng.random() < 0.05:
        return int(rng.integers(7, 18))
    return int(rng.choice(7, p=[0.07, 0.27, 0.24, 0.18, 0.12, 0.07, 0.05]))


def sample(rng: Random, long_side: int) -> Scene:
    """A scene whose longer side is `long_side` pixels."""
    aspect = float(rng.choice([4 / 3, 3 / 4, 1.0, 3 / 2, 2 / 3, 16 / 9]))
    width, height = round(long_side * min(1, aspect)), round(long_side * min(1, 1 / aspect))
    place = pick(rng, backdrop.ALL)
    seed = int(rng.integers(1 << 31))
    blank = skia.Surface(width, height).getCanvas()
    horizon = place(blank, width, height, np.random.default_rng(seed))
    people = head_count(rng)
    camera = float(rng.uniform(0.9, 1.7))
    reach = min(0.75, 0.9 / max(1, people) ** 0.4)
    tallest = float(rng.uniform(0.6, 1.15) if people < 3 else rng.uniform(0.6, 1.3) * reach)
    smallest = (0.26 if people < 7 else 0.2) * long_side
    actors: list[person.Person | Thing] = []
    columns = rng.permutation(max(people, 1))
    for index in range(people):
        size = max(tallest * height * float(rng.uniform(0.6, 1.0)), smallest)
        x = float(columns[index] + rng.uniform(0.0, 1.0)) / people * width
        y = floor_at(rng, size, horizon, height, camera)
        if people > 6:
            y = min(y + float(rng.uniform(0, 0.4)) * height, height)
        pose, figure = poses.sample(rng), look.sample(rng)
        actors.append(person.Person(figure, pose, x, y, size * child(figure)))
    for _ in range(int(rng.integers(0, 6))):
        size = float(rng.uniform(0.3, 0.8) * height)
        y = floor_at(rng, size, horizon, height, camera)
        if rng.random() < 0.8:
            y = min(y, horizon + (height - horizon) * float(rng.uniform(0.1, 0.8)))
        draw = pick(rng, things_of(place))
        actors.append(Thing(draw, float(rng.uniform(0, width)), y, size, int(rng.integers(1 << 31))))
    return Scene(width, height, place, seed, tuple(sorted(actors, key=lambda actor: actor.y)))


def child(figure: look.Look) -> float:
    """Height of a figure next to a grown-up."""
    return 0.72 if figure.build.head > 0.095 else 1.0


def floor_at(rng: Random, size: float, horizon: float, height: float, camera: float) -> float:
    """Where the feet of somebody of that height are: lower in the picture the taller."""
    y = horizon + size / camera + float(rng.normal(0, 0.03)) * height
    if y - size > 0.5 * height:
        y = 0.5 * height + size
    lowest = max(0.97 * height, size * 1.02) if rng.random() < 0.8 else height + 0.45 * size
    return float(min(max(y, size * float(rng.uniform(0.9, 1.05))), lowest))


def cutout(figure: person.Person, width: int, height: int) -> Pixels:
    """One person on nothing: RGBA [height, width, 4], not premultiplied."""
    image, _ = person.layer(replace(figure), width, height)
    layer = pixels(image).astype(np.float64)
    alpha = np.maximum(layer[..., 3:], 1)
    return np.concatenate([layer[..., :3] * 255 / alpha, layer[..., 3:]], 2).round().clip(0, 255).astype(np.uint8)
