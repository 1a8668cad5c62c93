"""A bundle in a browser page that runs batches: each run evaluates one picture among others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from webbuild.browser.driven_browser import DrivenPage
from webbuild.browser.server import Server
from webbuild.runners.batch_runner import in_place
from webbuild.runners.tensors import Tensors
from webbuild.verify.page_messages import RunResult
from webbuild.verify.page_runner import PageRunner, Track


class BatchPageRunner(PageRunner):
    """Runs a picture in a batch, at another position among the `others` in each run.

    Args:
        page: an empty page.
        server: serves the bundle.
        name: the name of the graph and its variant.
        picture: the input that takes the pictures.
        batch: the batch size.
        others: files of the other pictures.
        stage: the stage to run, in a bundle of several.
        seconds: the time limit of each step.
    """

    def __init__(
        self,
        page: DrivenPage,
        server: Server,
        name: str,
        picture: str,
        batch: int,
        others: Sequence[Path],
        *,
        stage: str = "",
        seconds: float,
    ) -> None:
        super().__init__(page, server, name, stage=stage, seconds=seconds)
        self._picture, self._batch, self._others, self._place = picture, batch, others, -1

    def run_timed(self, feeds: Tensors, stage: str = "") -> tuple[dict[str, NDArray[Any]], float]:
        """Run raw tensors; return the picture's outputs, and the milliseconds of the whole batch."""
        index = self._next_place()
        batch_feeds = {**feeds, self._picture: in_place(feeds[self._picture], index, self._batch)}
        outputs, took = super().run_timed(batch_feeds, stage)
        return {name: array[index : index + 1] for name, array in outputs.items()}, took

    def predict(
        self,
        pictures: Sequence[Path],
        options: Mapping[str, float | str | list[float]],
        place: int | None = None,
        second: Path | None = None,
        track: Track | None = None,
    ) -> RunResult:
        """Run the picture among others; return its result. Raises PageError if the runtime fails."""
        at = self._next_place() if place is None else place
        around = [self._others[(at + each) % len(self._others)] for each in range(self._batch)]
        return super().predict([*around[:at], *pictures, *around[at + 1 :]], options, at, second, track)

    def _next_place(self) -> int:
        self._place = (self._place + 1) % self._batch
        return self._place
