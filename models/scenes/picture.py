"""Draw one picture of several things in a room, with their exact visible masks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from models.scenes import places
from models.scenes.names import COLOURS, SHAPES
from models.scenes.shapes import Array, coverage

Pixels = np.ndarray[Any, np.dtype[np.uint8]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

LEAST_SHOWN = 0.45
"""Minimum visible share of a thing; otherwise it is moved or left out."""

MOST_THINGS = 7


@dataclass(frozen=True)
class Thing:
    """One thing in a picture.

    Attributes:
        shape: one of `SHAPES`.
        colour: a key of `COLOURS`.
        mask: [h, w], the pixels that it visibly covers by more than half.
    """

    shape: str
    colour: str
    mask: Mask

    @property
    def phrase(self) -> str:
        """The thing's colour and shape, such as `red circle`."""
        return f"{self.colour} {self.shape}"

    @property
    def box(self) -> Array:
        """The box x1, y1, x2, y2 of the visible mask, in pixels."""
        rows, columns = np.flatnonzero(self.mask.any(1)), np.flatnonzero(self.mask.any(0))
        return np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1], np.float32)


@dataclass(frozen=True)
class Picture:
    """A drawing: RGB [h, w, 3], its things from the farthest to the nearest, and the stuff in `STUFF` [h, w]."""

    image: Pixels
    things: tuple[Thing, ...]
    stuff: Pixels

    @property
    def semantic(self) -> Pixels:
        """The index in `CATEGORIES` of every pixel, [h, w]."""
        categories = self.stuff + np.uint8(len(SHAPES))
        for thing in self.things:
            categories[thing.mask] = SHAPES.index(thing.shape)
        return categories


def draw(rng: np.random.Generator, height: int, width: int, most: int = MOST_THINGS) -> Picture:
    """Draw a picture with up to `most` things in it; one in twenty has none."""
    down, across = np.mgrid[:height, :width].astype(np.float32)
    grid = across + np.float32(0.5), down + np.float32(0.5)
    image, stuff = places.paint(rng, grid)
    side = min(height, width)
    shares: list[Array] = []  # each thing's coverage without occlusion
    whole: list[float] = []
    things: list[tuple[str, str]] = []
    wanted = 0 if rng.random() < 0.05 else int(rng.integers(1, most + 1))
    for _ in range(4 * wanted):
        if len(things) == wanted:
            break
        radius = side * float(np.exp(rng.uniform(np.log(0.08), np.log(0.24))))
        centre = float(rng.uniform(0.04, 0.96)) * width, float(rng.uniform(0.04, 0.96)) * height
        shape = SHAPES[rng.integers(len(SHAPES))]
        share = coverage(shape, grid, centre, radius, float(rng.uniform(-0.35, 0.35)))
        shown = visible([*shares, share])
        area = _area(shape, radius)
        if all(one.sum() >= LEAST_SHOWN * all_of_it for one, all_of_it in zip(shown, [*whole, area], strict=True)):
            beside = {thing[1] for thing, other in zip(things, shares, strict=True) if (other * share).any()}
            colour = str(rng.choice([name for name in COLOURS if name not in beside]))
            image = _over(rng, image, share, colour, grid[1], centre[1], radius)
            shares.append(share)
            whole.append(area)
            things.append((shape, colour))
    image = image + rng.normal(0, rng.uniform(0.0, 0.03), image.shape)
    pixels = (np.clip(image * rng.uniform(0.8, 1.1), 0, 1) * 255).round().astype(np.uint8)
    return Picture(pixels, tuple(Thing(*one, mask) for one, mask in zip(things, visible(shares), strict=True)), stuff)


def visible(shares: list[Array]) -> list[Mask]:
    """Return the pixels that each thing covers by more than half, minus those of later things."""
    taken: Any = False
    masks: list[Mask] = []
    for share in reversed(shares):
        own = share > 0.5
        masks.insert(0, own & ~np.asarray(taken))
        taken = own | taken
    return masks


def _area(shape: str, radius: float) -> float:
    """Return a thing's number of pixels without occlusion or clipping."""
    return AREAS[shape] * radius * radius


def _over(
    rng: np.random.Generator, image: Array, share: Array, colour: str, y: Array, middle: float, radius: float
) -> Array:
    """Composite a thing, lighter at its top than at its bottom, over the picture [h, w, 3]."""
    paint = np.array(COLOURS[colour], np.float32) / 255 + rng.normal(0, 0.03, 3).astype(np.float32)
    light = 1 - np.float32(rng.uniform(0, 0.15)) * (y - np.float32(middle)) / np.float32(radius)
    part = share[..., None]
    return np.asarray(image * (1 - part) + part * paint * light[..., None], np.float32)


def _measured(shape: str) -> float:
    """Return the area of a shape of radius 1."""
    down, across = np.mgrid[:256, :256].astype(np.float32) - 127.5
    return float(coverage(shape, (across, down), (0, 0), 100, 0).sum()) / 1e4


AREAS = {shape: _measured(shape) for shape in SHAPES}
