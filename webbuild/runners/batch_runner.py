"""Run one picture on a graph with a batch dimension: the rest of the batch is filled with other pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors


class PictureBatch(Struct, frozen=True):
    """The batched picture input of a graph: its name, and its batch size."""

    picture: str
    size: int

    def feeds(self, single: Tensors, run: int) -> dict[str, NDArray[Any]]:
        """Return the feeds of the batched graph for one picture [1, ...]; its batch index changes in each run."""
        return {**single, self.picture: in_place(single[self.picture], run % self.size, self.size)}

    def outputs(self, batch_outputs: Tensors, run: int) -> dict[str, NDArray[Any]]:
        """Return the one picture's outputs, each [batch, ...] -> [1, ...]."""
        index = run % self.size
        return {name: array[index : index + 1] for name, array in batch_outputs.items()}


class BatchRunner(NativeRunner):
    """Runs a batched graph for one picture, which is at another batch index in each run.

    Args:
        path: the file of the graph.
        batch: the batched input.
    """

    def __init__(self, path: Path, batch: PictureBatch) -> None:
        super().__init__(path)
        self._batch, self._runs = batch, 0

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return the outputs of the one picture, each [1, ...]. Raises WebbuildError `reference-run-failed`."""
        run, self._runs = self._runs, self._runs + 1
        return self._batch.outputs(super().run(self._batch.feeds(feeds, run)), run)


def in_place(picture: NDArray[Any], index: int, batch: int) -> NDArray[Any]:
    """Return a batch [batch, ...] with the picture [1, ...] at `index`, and changed copies of it elsewhere."""
    others = [np.roll(picture, 1 + at) for at in range(batch)]  # without an axis, roll shifts the flattened elements
    return np.ascontiguousarray(np.concatenate([*others[:index], picture, *others[index + 1 :]]))
