"""A runner for one picture on a graph that takes a batch: the rest of the batch is filled with other pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors


class PictureBatch(Struct, frozen=True):
    """What takes several pictures: the input `picture` of a graph, `size` of them."""

    picture: str
    size: int

    def feeds(self, single: Tensors, run: int) -> dict[str, NDArray[Any]]:
        """Return the inputs of a run for one picture, [1, ...], as the graph takes them; it takes a place in turn."""
        return {**single, self.picture: in_place(single[self.picture], run % self.size, self.size)}

    def outputs(self, batch_outputs: Tensors, run: int) -> dict[str, NDArray[Any]]:
        """Return what belongs to the one picture, each [1, ...]."""
        index = run % self.size
        return {name: array[index : index + 1] for name, array in batch_outputs.items()}


class BatchRunner(NativeRunner):
    """Answers for one picture, which takes another place in the batch in each run.

    Args:
        path: of the graph.
        batch: how many pictures it takes.
    """

    def __init__(self, path: Path, batch: PictureBatch) -> None:
        super().__init__(path)
        self._batch, self._runs = batch, 0

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return the outputs of the one picture, each [1, ...]. Raises WebbuildError `reference-run-failed`."""
        run, self._runs = self._runs, self._runs + 1
        return self._batch.outputs(super().run(self._batch.feeds(feeds, run)), run)


def in_place(picture: NDArray[Any], index: int, batch: int) -> NDArray[Any]:
    """Return a batch [batch, ...] with the picture [1, ...] at a place, and changed copies of it elsewhere."""
    others = [np.roll(picture, 1 + at) for at in range(batch)]  # of all elements, one after another
    return np.ascontiguousarray(np.concatenate([*others[:index], picture, *others[index + 1 :]]))
