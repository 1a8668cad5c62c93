"""Draw the training pictures once and store them as memory-mapped arrays on disk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np

from models.scenes import dataset
from models.scenes.names import COLOURS, SHAPES
from models.scenes.picture import MOST_THINGS, Picture

NAMES = ("images", "instances", "stuff", "shapes", "colours", "boxes")


@dataclass(frozen=True)
class Cache:
    """Pictures of a split; the first axis is the picture.

    Attributes:
        images: RGB [n, h, w, 3], uint8.
        instances: [n, h, w], uint8: the thing's number from 1, or 0.
        stuff: [n, h, w], uint8: the index in `STUFF` behind the things.
        shapes: [n, MOST_THINGS], int8: the index in `SHAPES` of every thing, or -1.
        colours: the same for `COLOURS`.
        boxes: x1, y1, x2, y2 in pixels [n, MOST_THINGS, 4], float32.
    """

    images: Any
    instances: Any
    stuff: Any
    shapes: Any
    colours: Any
    boxes: Any

    def __len__(self) -> int:
        return len(self.images)


def row(picture: Picture) -> tuple[np.ndarray, ...]:
    """Return one picture's row of every array."""
    instances = np.zeros(picture.stuff.shape, np.uint8)
    shapes, colours = np.full(MOST_THINGS, -1, np.int8), np.full(MOST_THINGS, -1, np.int8)
    boxes = np.zeros((MOST_THINGS, 4), np.float32)
    for number, thing in enumerate(picture.things):
        instances[thing.mask] = number + 1
        shapes[number], colours[number] = SHAPES.index(thing.shape), list(COLOURS).index(thing.colour)
        boxes[number] = thing.box
    return picture.image, instances, picture.stuff, shapes, colours, boxes


def _row(split: str, side: int, number: int) -> tuple[np.ndarray, ...]:
    return row(dataset.scene(split, number, side, side))


def drawn(folder: Path, count: int, processes: int, side: int = dataset.SIDE, split: str = "train") -> Cache:
    """Draw `count` square pictures into `folder`, unless they exist."""
    place = folder / f"{split}-{count}-{side}"
    if not place.exists():
        unfinished = folder / f"{place.name}.unfinished"
        unfinished.mkdir(parents=True, exist_ok=True)
        with Pool(processes) as pool:
            rows = pool.map(partial(_row, split, side), range(count), chunksize=50)
        for name, arrays in zip(NAMES, zip(*rows, strict=True), strict=True):
            np.save(unfinished / f"{name}.npy", np.stack(arrays))
        unfinished.rename(place)
    return Cache(*(np.load(place / f"{name}.npy", mmap_mode="r") for name in NAMES))
