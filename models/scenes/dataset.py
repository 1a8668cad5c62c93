"""The same pictures in every run: picture n of a split depends only on the split's seed and n."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.scenes import focal, picture

SEEDS = {"train": 1, "check": 2, "held-out": 3, "sample": 4}
HELD_OUT = 200
"""Number of held-out pictures for measurements."""

SIDE = 96
"""Side in pixels of the models' input pictures."""

STACK = (96, 128)
"""Height and width of a focal stack."""


def scene(split: str, number: int, height: int = SIDE, width: int = SIDE) -> picture.Picture:
    """Return picture `number` of a split."""
    return picture.draw(np.random.default_rng([SEEDS[split], number]), height, width)


def stack(split: str, number: int) -> focal.Stack:
    """Return focal stack `number` of a split."""
    return focal.draw(np.random.default_rng([SEEDS[split], number]), *STACK)


def held_out() -> Iterator[picture.Picture]:
    """Yield the held-out pictures."""
    for number in range(HELD_OUT):
        yield scene("held-out", number)


def held_out_stacks() -> Iterator[focal.Stack]:
    """Yield the held-out focal stacks."""
    for number in range(HELD_OUT):
        yield stack("held-out", number)
