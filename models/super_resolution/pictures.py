"""Pairs of a drawing and its half-size version."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PIL import Image

from models.people import composition, render
from models.people.scene import Pixels

SEEDS = {"train": 31, "held-out": 33, "sample": 34}
HELD_OUT = 60
"""Number of held-out pictures for measurements."""

LONG_SIDES = (256, 320, 384, 512)


def drawing(split: str, number: int, long_side: int = 0) -> Pixels:
    """Return drawing `number` of a split, RGB [h, w, 3] with even sides; the same in every run."""
    rng = np.random.default_rng([SEEDS[split], number])
    side = long_side or int(rng.choice(LONG_SIDES))
    image, _ = render.render(composition.sample(rng, side, composition.VARIED))
    return image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2]


def halved(image: Pixels) -> Pixels:
    """[2 h, 2 w, 3] -> [h, w, 3] with Pillow's bicubic filter, as in most data sets."""
    return _resized(image, image.shape[1] // 2, image.shape[0] // 2)


def doubled(image: Pixels) -> Pixels:
    """[h, w, 3] -> [2 h, 2 w, 3] with the same filter, the baseline for a network."""
    return _resized(image, 2 * image.shape[1], 2 * image.shape[0])


def held_out() -> Iterator[Pixels]:
    """Yield the held-out drawings."""
    for number in range(HELD_OUT):
        yield drawing("held-out", number)


def _resized(image: Pixels, width: int, height: int) -> Pixels:
    return np.asarray(Image.fromarray(image).resize((width, height), Image.Resampling.BICUBIC))
