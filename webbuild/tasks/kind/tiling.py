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

    `reach` is the radius, in source pixels, that decoding reads around a pixel, in addition to the receptive field.
    """

    name: str
    layout: Literal["nchw", "nhwc"]
    scale: int = 1
    low: float = 0.0
    high: float = 1.0
    reach: int = 0

    def rows_axis(self, rank: int) -> int:
        """Return the axis of the rows in [1, h, w], [1, c, h, w] or [1, h, w, c]; the columns' axis is the next."""
        return 2 if rank == 4 and self.layout == "nchw" else 1


class Tiling:
    """Tiling methods of a task: run a large image in tiles."""

    blends_tiles: bool = True
    """Whether tiles that differ at their seams are blended; if not, tiling requires tiles that match exactly."""

    def tiled_outputs(self, task: Any) -> Sequence[TiledOutput]:
        """Return the outputs that are joined from tiles; () for a task that resizes pictures."""
        return ()

    def reads_whole_picture(self, task: Any) -> str:
        """Return why decoding needs the whole picture even if the graph is local; "" if it does not."""
        return ""

    def with_tiles(self, task: Any, plan: TilePlan) -> Any:
        """Return the task with a tile plan; only called for a task with `tiled_outputs`."""
        raise NotImplementedError

    def tile_plan(self, task: Any) -> TilePlan | None:
        """Return the tile plan, None if pictures are resized."""
        return None

    def draw_tile(self, task: Any, outputs: Tensors, source: NDArray[np.uint8], context: RunContext) -> NDArray[Any]:
        """Return the result of the tile `source`, both RGBA [height, width, 4]; only called with a `tile_plan`."""
        raise NotImplementedError

    def join_tiles(self, task: Any, joined: NDArray[np.uint8], picture: Path) -> Sequence[Any]:
        """Return the prediction of a picture from its joined tiles, RGBA [height, width, 4]."""
        raise NotImplementedError
