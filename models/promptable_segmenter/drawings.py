"""Draws what is clicked at: people, their parts, things and shapes, each with the pixels that show of it."""

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
"""Pixels of the square that a picture is put into, at its upper left."""

SEEDS = {"train": 51, "held-out": 53, "sample": 54}
HELD_OUT = 150
"""Pictures of each kind that a quality is measured on; training never sees them."""

KINDS = ("people", "shapes")
LEAST = 350
"""Pixels that show of anything that is clicked at."""

NAMES = ("images", "things", "parts", "sizes")
Numbers = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True)
class Drawing:
    """A picture and its masks.

    Attributes:
        image: RGB [h, w, 3], its longer side `SIDE`.
        things: what shows of every whole thing, [h, w] each.
        parts: heads, trunks, arms and legs.
    """

    image: Pixels
    things: tuple[Mask, ...]
    parts: tuple[Mask, ...]


def drawing(split: str, number: int, kind: str = "", long_side: int = SIDE) -> Drawing:
    """Drawing `number` of a split, the same in every run; kinds alternate where none is named."""
    kind = kind or KINDS[number % len(KINDS)]
    rng = np.random.default_rng([SEEDS[split], KINDS.index(kind), number])
    return of_people(rng, long_side) if kind == "people" else of_shapes(rng, long_side)


def held_out(kind: str) -> Iterator[Drawing]:
    """The drawings of a kind that a segmenter is judged by."""
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
    """Circles, stars and the like in a room."""
    aspect = float(rng.choice(composition.ASPECTS))
    width, height = round(long_side * min(1, aspect)), round(long_side * min(1, 1 / aspect))
    drawn = picture.draw(rng, height, width)
    least = LEAST * (long_side / SIDE) ** 2
    return Drawing(drawn.image, tuple(one.mask for one in drawn.things if one.mask.sum() >= least), ())


@dataclass(frozen=True)
class Cache:
    """Drawings in squares of `SIDE`, the first axis their number.

    Attributes:
        images: RGB [n, SIDE, SIDE, 3], black beside the picture.
        things: 0 where there is none, else its number from 1, [n, SIDE, SIDE].
        parts: the same for parts.
        sizes: height and width of every picture, [n, 2].
    """

    images: Pixels
    things: Numbers
    parts: Numbers
    sizes: Any


def row(drawn: Drawing) -> tuple[np.ndarray, ...]:
    """One drawing's part of every array."""
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
    """Draw the training pictures below `folder`, unless they lie there."""
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
