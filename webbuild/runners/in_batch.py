"""A graph for several pictures in one run, asked for one: the others are other pictures, and must not matter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.runners.native import NativeRunner
from webbuild.runners.runner import Tensors


class BatchRunner(NativeRunner):
    """Answers for one picture, which takes another place in the batch in each run.

    Args:
        path: of the graph.
        picture: the input [1, ...] that is given to it as [batch, ...].
        batch: how many pictures it takes.
    """

    def __init__(self, path: Path, picture: str, batch: int) -> None:
        super().__init__(path)
        self._picture, self._batch, self._place = picture, batch, -1

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return the outputs of the one picture, each [1, ...]. Raises WebbuildError `reference-run-failed`."""
        self._place = (self._place + 1) % self._batch
        outputs = super().run({**feeds, self._picture: in_place(feeds[self._picture], self._place, self._batch)})
        return {name: array[self._place : self._place + 1] for name, array in outputs.items()}


def in_place(picture: NDArray[Any], place: int, batch: int) -> NDArray[Any]:
    """Return a batch [batch, ...] with the picture [1, ...] at a place, and changed copies of it elsewhere."""
    others = [np.roll(picture, 1 + at) for at in range(batch)]  # of all elements, one after another
    return np.ascontiguousarray(np.concatenate([*others[:place], picture, *others[place + 1 :]]))
