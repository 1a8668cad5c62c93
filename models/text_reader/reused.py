"""Batches that a training sees several times, since drawing one takes as long as learning from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from models.text_reader.pages import SEEDS

Batch = TypeVar("Batch")

TIMES = 4
KEPT = 100
"""Batches that are held in memory."""


class Reused(Generic[Batch]):
    """Every fourth step a batch is drawn; at the others an earlier one comes again."""

    def __init__(self, draw: Callable[[int], Batch]) -> None:
        self.draw = draw
        self.kept: list[Batch] = []

    def __call__(self, number: int) -> tuple[Batch, np.random.Generator]:
        """The batch of step `number`, and what to vary it by."""
        rng = np.random.default_rng([SEEDS["train"], 1, number])
        if number % TIMES and self.kept:
            return self.kept[int(rng.integers(len(self.kept)))], rng
        batch = self.draw(number)
        if len(self.kept) < KEPT:
            self.kept.append(batch)
        else:
            self.kept[number // TIMES % KEPT] = batch
        return batch, rng
