"""Draw the training pictures of people once, and store them consecutively in a file."""

from __future__ import annotations

from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np

from models.people import dataset
from models.people.scene import Array, Pixels

NAMES = ("pixels", "starts", "sizes", "pictures", "boxes", "keypoints")


@dataclass(frozen=True)
class People:
    """All people in a split's pictures.

    Attributes:
        pixels: all pictures' bytes.
        starts: each picture's offset in `pixels`.
        sizes: height and width of every picture, [pictures, 2].
        pictures: the picture index of each person, [people].
        boxes: x1 y1 x2 y2 [people, 4].
        keypoints: x, y and whether labelled [people, 17, 3].
    """

    pixels: Any
    starts: Any
    sizes: Any
    pictures: Any
    boxes: Any
    keypoints: Any

    def image(self, person: int) -> Pixels:
        """Return a person's picture, RGB [h, w, 3]."""
        number = self.pictures[person]
        height, width = self.sizes[number]
        start = int(self.starts[number])
        return np.asarray(self.pixels[start : start + height * width * 3]).reshape(height, width, 3)


def _row(number: int) -> tuple[Pixels, Array, Array]:
    image, labels = dataset.picture("crops", number)
    boxes, points = np.array([one.box for one in labels]), np.array([one.keypoints for one in labels])
    return image, boxes.reshape(-1, 4), points.reshape(-1, 17, 3)


def cached(folder: Path, count: int, processes: int) -> People:
    """Draw the training pictures into `folder`, unless they exist."""
    place = folder / f"people-{count}"
    if not place.exists():
        unfinished = folder / f"{place.name}.unfinished"
        unfinished.mkdir(parents=True, exist_ok=True)
        with Pool(processes) as pool:
            images, boxes, points = zip(*pool.imap(_row, range(count), chunksize=50), strict=True)
        sizes = np.array([image.shape[:2] for image in images])
        ends = (sizes.prod(1) * 3).cumsum()
        owners = np.repeat(np.arange(count), [len(one) for one in boxes])
        pixels = np.concatenate([image.ravel() for image in images])
        columns = (pixels, ends - sizes.prod(1) * 3, sizes, owners, np.concatenate(boxes), np.concatenate(points))
        for name, array in zip(NAMES, columns, strict=True):
            np.save(unfinished / f"{name}.npy", array)
        unfinished.rename(place)
    return People(*(np.load(place / f"{name}.npy", mmap_mode="r") for name in NAMES))
