"""Batches that are used several times, since drawing a batch takes as long as a training step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from models.text_reader.pages import SEEDS

Batch = TypeVar("Batch")

TIMES = 4
KEPT = 100
"""Number of batches in memory."""


class Reused(Generic[Batch]):
    """Draws a new batch in every fourth step; other steps reuse an earlier one."""

    def __init__(self, draw: Callable[[int], Batch]) -> None:
        self.draw = draw
        self.kept: list[Batch] = []

    def __call__(self, number: int) -> tuple[Batch, np.random.Generator]:
        """Return the batch of step `number`, and a generator for its augmentation."""
        rng = np.random.default_rng([SEEDS["train"], 1, number])
        if number % TIMES and self.kept:
            return self.kept[int(rng.integers(len(self.kept)))], rng
        batch = self.draw(number)
        if len(self.kept) < KEPT:
            self.kept.append(batch)
        else:
            self.kept[number // TIMES % KEPT] = batch
        return batch, rng
