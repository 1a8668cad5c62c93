"""Tiling: the methods of a task that run an image in tiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.tasks.tile_plan import TilePlan
from webbuild.runners.tensors import Tensors
from webbuild.tasks.run_context import RunContext


class TiledOutput(Struct, frozen=True):
    """The image that a model returns for a tile: `scale` times as large, `low` is black, `high` is white.

    `reach` is how many pixels of the source around a pixel its colour depends on, besides what the model reads.
    """

    name: str
    layout: Literal["nchw", "nhwc"]
    scale: int = 1
    low: float = 0.0
    high: float = 1.0
    reach: int = 0

    def rows_axis(self, rank: int) -> int:
        """Return the axis of the rows, before that of the columns: of [1, h, w], [1, c, h, w] or [1, h, w, c]."""
        return 2 if rank == 4 and self.layout == "nchw" else 1


class Tiling:
    """Runs images in tiles."""

    blends_tiles: bool = True
    """Whether tiles that differ where they meet are blended there; else only exact tiles are put together."""

    def tiled_outputs(self, task: Any) -> Sequence[TiledOutput]:
        """Return what tiles of a picture are put together of, nothing for a task that pictures are resized for."""
        return ()

    def reads_whole_picture(self, task: Any) -> str:
        """Return why the outputs of a tile say too little, however local the graph is; empty where they do not."""
        return ""

    def with_tiles(self, task: Any, plan: TilePlan) -> Any:
        """Return the task with the tiles that pictures are run in; of one that has `tiled_outputs`."""
        raise NotImplementedError

    def tile_plan(self, task: Any) -> TilePlan | None:
        """Return the tiles that pictures are run in, None where they are resized."""
        return None

    def draw_tile(self, task: Any, outputs: Tensors, source: NDArray[np.uint8], context: RunContext) -> NDArray[Any]:
        """Return what becomes of a tile `source`, RGBA, to be put together; of a task with a `tile_plan`."""
        raise NotImplementedError

    def join_tiles(self, task: Any, joined: NDArray[np.uint8], picture: Path) -> Sequence[Any]:
        """Return the prediction of what the tiles of a picture were put together to, RGBA."""
        raise NotImplementedError
