"""Random scenes: place, people, things, and their distances."""

from dataclasses import dataclass

import numpy as np
import skia

from models.people import look, places, poses, things
from models.people.look import Random, pick
from models.people.person import Person
from models.people.scene import Scene, Thing, child

CROWD = 7  # people
SMALLEST_IN_CROWD = 0.2  # of the long side
ASPECTS = [4 / 3, 3 / 4, 1.0, 3 / 2, 2 / 3, 16 / 9]


@dataclass(frozen=True)
class Mix:
    """Kinds of scenes: the share of crowds, the smallest height outside crowds in long sides, and a height factor."""

    crowds: float
    smallest: float
    share: float = 1.0


@dataclass(frozen=True)
class View:
    """A picture's size, the height of its horizon, and the camera's height above people's feet."""

    width: int
    height: int
    horizon: float
    camera: float


VARIED = Mix(crowds=0.05, smallest=0.26)
LARGE = Mix(crowds=0.0, smallest=0.36)
SMALL = Mix(crowds=0.05, smallest=0.1, share=0.3)


def sample(rng: Random, long_side: int, mix: Mix) -> Scene:
    """A scene whose longer side is `long_side` pixels."""
    aspect = float(rng.choice(ASPECTS))
    width, height = round(long_side * min(1, aspect)), round(long_side * min(1, 1 / aspect))
    place = pick(rng, places.ALL)
    seed = int(rng.integers(1 << 31))
    blank = skia.Surface(width, height).getCanvas()
    horizon = place(blank, width, height, np.random.default_rng(seed))
    count = head_count(rng, mix)
    camera = float(rng.uniform(0.9, 1.7))
    smallest = (mix.smallest if count < CROWD else min(mix.smallest, SMALLEST_IN_CROWD)) * long_side
    view = View(width, height, horizon, camera)
    people = cast(rng, count, smallest, view, mix.share)
    props = [prop(rng, place, view) for _ in range(int(rng.integers(0, 6)))]
    actors: list[Person | Thing] = [*people, *props]
    actors.sort(key=lambda actor: actor.y)
    return Scene(width, height, place, seed, tuple(actors))


def head_count(rng: Random, mix: Mix) -> int:
    """Return the number of people: often one to three, sometimes none or a crowd."""
    if rng.random() < mix.crowds:
        return int(rng.integers(CROWD, 18))
    return int(rng.choice(CROWD, p=[0.07, 0.27, 0.24, 0.18, 0.12, 0.07, 0.05]))


def cast(rng: Random, count: int, smallest: float, view: View, share: float = 1.0) -> list[Person]:
    """Return `count` people side by side, adults at least `smallest` pixels tall; `share` scales all of them."""
    reach = min(0.75, 0.9 / max(1, count) ** 0.4)
    tallest = share * float(rng.uniform(0.6, 1.15) if count < 3 else rng.uniform(0.6, 1.3) * reach)
    people = []
    columns = rng.permutation(max(count, 1))
    for column in columns[:count]:
        tall = max(tallest * view.height * float(rng.uniform(0.6, 1.0)), smallest)
        x = float(column + rng.uniform(0.0, 1.0)) / count * view.width
        y = floor_at(rng, tall, view)
        if count >= CROWD:
            y = min(y + float(rng.uniform(0, 0.4)) * view.height, view.height)
        pose, figure = poses.sample(rng), look.sample(rng)
        people.append(Person(figure, pose, x, y, tall * child(figure)))
    return people


def prop(rng: Random, place: places.Place, view: View) -> Thing:
    """Return a thing that fits the place, usually farther away than the people."""
    tall = float(rng.uniform(0.3, 0.8) * view.height)
    y = floor_at(rng, tall, view)
    if rng.random() < 0.8:
        y = min(y, view.horizon + (view.height - view.horizon) * float(rng.uniform(0.1, 0.8)))
    draw = pick(rng, things_of(place))
    return Thing(draw, float(rng.uniform(0, view.width)), y, tall, int(rng.integers(1 << 31)))


def things_of(place: places.Place) -> list[things.Thing]:
    """Return the things that fit a place."""
    known: dict[places.Place, list[things.Thing]] = {
        places.park: things.OUTDOORS,
        places.street: things.OUTDOORS,
        places.room: things.INDOORS,
        places.beach: things.SEASIDE,
    }
    return known.get(place, things.ANY)


def floor_at(rng: Random, size: float, view: View) -> float:
    """Return the y of the feet of a person of this height: the taller, the lower in the picture."""
    height = view.height
    y = view.horizon + size / view.camera + float(rng.normal(0, 0.03)) * height
    if y - size > 0.5 * height:
        y = 0.5 * height + size
    lowest = max(0.97 * height, size * 1.02) if rng.random() < 0.8 else height + 0.45 * size
    return float(min(max(y, size * float(rng.uniform(0.9, 1.05))), lowest))
