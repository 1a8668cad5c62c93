"""The same pictures in every run: number n of a split is drawn from the split's seed and n alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.scenes import focal, picture

SEEDS = {"train": 1, "check": 2, "held-out": 3, "sample": 4}
HELD_OUT = 200
"""Pictures that a quality is measured on; training never sees them."""

SIDE = 96
"""Pixels of a picture's side, as the models take it."""

STACK = (96, 128)
"""Height and width of a focal stack."""


def scene(split: str, number: int, height: int = SIDE, width: int = SIDE) -> picture.Picture:
    """Picture `number` of a split."""
    return picture.draw(np.random.default_rng([SEEDS[split], number]), height, width)


def stack(split: str, number: int) -> focal.Stack:
    """Focal stack `number` of a split."""
    return focal.draw(np.random.default_rng([SEEDS[split], number]), *STACK)


def held_out() -> Iterator[picture.Picture]:
    """The pictures that a model is judged by."""
    for number in range(HELD_OUT):
        yield scene("held-out", number)


def held_out_stacks() -> Iterator[focal.Stack]:
    """The focal stacks that a model is judged by."""
    for number in range(HELD_OUT):
        yield stack("held-out", number)
