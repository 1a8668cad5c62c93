"""The reference's activations: computed on demand in batches, and stored on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.runners.session import SessionRunner
from webbuild.subgraph.extract import extract_outputs
from webbuild.subgraph.graph import ModelGraph

BATCH_BYTES = 256 << 20
"""Default limit of the bytes of values per run."""


class ReferenceActivations(Mapping[str, NDArray[Any]]):
    """The values of a graph by name, including its inputs.

    Args:
        graph: the graph.
        feeds: its inputs.
        engine: computes the values.
        folder: the folder of the stored values, in numbered files.
        batch: limit of the bytes of values per run, as far as sizes are known.
    """

    def __init__(
        self,
        graph: ModelGraph,
        feeds: Mapping[str, NDArray[Any]],
        engine: SessionRunner,
        folder: Path,
        batch: int = BATCH_BYTES,
    ) -> None:
        self._graph, self._engine, self._folder, self._batch = graph, engine, folder, batch
        self._feeds = {name: feeds[name] for name in graph.inputs if name in feeds}
        self._files: dict[str, Path] = {}
        self.runs = 0

    @property
    def name(self) -> str:
        """The name of the engine."""
        return self._engine.name

    def compute(self, names: Iterable[str]) -> None:
        """Compute and store values, in as few runs as memory allows.

        Raises:
            WebbuildError: `no-reference`.
        """
        missing = [name for name in dict.fromkeys(names) if name not in self._files and name not in self._feeds]
        for batch in group_by_size(self._graph, missing, self._batch):
            self._run(batch)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name in self._feeds:
            return self._feeds[name]
        self.compute([name])
        array: NDArray[Any] = np.load(self._files[name], mmap_mode="r", allow_pickle=False)
        return array

    def __iter__(self) -> Iterator[str]:
        return iter({**self._feeds, **self._files})

    def __len__(self) -> int:
        return len(self._feeds) + len(self._files)

    def _run(self, names: list[str]) -> None:
        model = extract_outputs(self._graph, names).SerializeToString()
        self.runs += 1
        ended = self._engine.run_model(model, self._feeds, self._keep)
        lost = [name for name in names if name not in self._files]
        if ended.status != "ran" or lost:
            raise WebbuildError(
                "no-reference",
                f"{self._engine.name} does not compute the model: {ended.message or f'no value {lost[0]!r}'}",
                "without the reference nothing can be compared: check the model and its inputs, or choose "
                "another reference with --reference",
            )

    def _keep(self, name: str, array: NDArray[Any]) -> None:
        file = self._folder / f"{len(self._files)}.npy"
        np.save(file, np.asarray(array), allow_pickle=False)
        self._files[name] = file


def group_by_size(graph: ModelGraph, names: Iterable[str], max_bytes: int) -> Iterator[list[str]]:
    """Yield groups of values of at most `max_bytes`, as far as sizes are known; a single larger value is a group."""
    batch: list[str] = []
    left = max_bytes
    for name in names:
        size = graph.bytes(name)
        if batch and size > left:
            yield batch
            batch, left = [], max_bytes
        batch.append(name)
        left -= size
    if batch:
        yield batch
