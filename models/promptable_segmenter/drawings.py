"""Drawings for clicks: people, their parts, things and shapes, each with its visible pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np

from models.people import composition, render
from models.people.person import Person, layers_of_parts
from models.people.scene import Pixels
from models.scenes import picture
from models.scenes.picture import Mask

SIDE = 256
"""Side in pixels of the square into which a picture is placed, at the upper left."""

SEEDS = {"train": 51, "held-out": 53, "sample": 54}
HELD_OUT = 150
"""Number of held-out pictures of each kind for measurements."""

KINDS = ("people", "shapes")
LEAST = 350
"""Minimum number of visible pixels of an object."""

NAMES = ("images", "things", "parts", "sizes")
Numbers = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True)
class Drawing:
    """A picture and its masks.

    Attributes:
        image: RGB [h, w, 3], its longer side `SIDE`.
        things: visible masks of whole things, [h, w] each.
        parts: heads, trunks, arms and legs.
    """

    image: Pixels
    things: tuple[Mask, ...]
    parts: tuple[Mask, ...]


def drawing(split: str, number: int, kind: str = "", long_side: int = SIDE) -> Drawing:
    """Return drawing `number` of a split, the same in every run; kinds alternate if none is given."""
    kind = kind or KINDS[number % len(KINDS)]
    rng = np.random.default_rng([SEEDS[split], KINDS.index(kind), number])
    return of_people(rng, long_side) if kind == "people" else of_shapes(rng, long_side)


def held_out(kind: str) -> Iterator[Drawing]:
    """Yield the held-out drawings of a kind."""
    for number in range(HELD_OUT):
        yield drawing("held-out", number, kind)


def of_people(rng: np.random.Generator, long_side: int) -> Drawing:
    """People, their parts and the things around them."""
    scene = composition.sample(rng, long_side, composition.VARIED)
    image, actors = render.traced(scene)
    least = LEAST * (long_side / SIDE) ** 2
    things, parts = [], []
    for one in actors:
        if not one.shows() or one.mask.sum() < least:
            continue
        things.append(one.mask)
        if isinstance(one.actor, Person):
            covers = [render.pixels(layer)[..., 3] / 255 for layer in layers_of_parts(one.actor, *one.mask.shape[::-1])]
            parts += [mask & one.mask for mask in picture.visible(covers)]
    return Drawing(image, tuple(things), tuple(part for part in parts if part.sum() >= least))


def of_shapes(rng: np.random.Generator, long_side: int) -> Drawing:
    """Circles, stars and other shapes in a room."""
    aspect = float(rng.choice(composition.ASPECTS))
    width, height = round(long_side * min(1, aspect)), round(long_side * min(1, 1 / aspect))
    drawn = picture.draw(rng, height, width)
    least = LEAST * (long_side / SIDE) ** 2
    return Drawing(drawn.image, tuple(one.mask for one in drawn.things if one.mask.sum() >= least), ())


@dataclass(frozen=True)
class Cache:
    """Drawings in squares of `SIDE`, the first axis their number.

    Attributes:
        images: RGB [n, SIDE, SIDE, 3], black outside the picture.
        things: [n, SIDE, SIDE], the thing's number from 1, or 0.
        parts: the same for parts.
        sizes: height and width of every picture, [n, 2].
    """

    images: Pixels
    things: Numbers
    parts: Numbers
    sizes: Any


def row(drawn: Drawing) -> tuple[np.ndarray, ...]:
    """Return one drawing's row of every array."""
    height, width = drawn.image.shape[:2]
    image = np.zeros((SIDE, SIDE, 3), np.uint8)
    image[:height, :width] = drawn.image
    numbers = []
    for masks in (drawn.things, drawn.parts):
        numbered = np.zeros((SIDE, SIDE), np.uint8)
        for number, mask in enumerate(masks):
            numbered[:height, :width][mask] = number + 1
        numbers.append(numbered)
    return image, *numbers, np.array([height, width])


def _row(number: int) -> tuple[np.ndarray, ...]:
    return row(drawing("train", number))


def cached(folder: Path, count: int, processes: int) -> Cache:
    """Draw the training pictures into `folder`, unless they exist."""
    place = folder / f"drawings-{count}"
    if not place.exists():
        unfinished = folder / f"{place.name}.unfinished"
        unfinished.mkdir(parents=True, exist_ok=True)
        with Pool(processes) as pool:
            rows = pool.map(_row, range(count), chunksize=50)
        for name, arrays in zip(NAMES, zip(*rows, strict=True), strict=True):
            np.save(unfinished / f"{name}.npy", np.stack(arrays))
        unfinished.rename(place)
    return Cache(*(np.load(place / f"{name}.npy", mmap_mode="r") for name in NAMES))
