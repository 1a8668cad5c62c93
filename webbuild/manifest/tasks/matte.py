"""How opaque the foreground is at each pixel."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task
from webbuild.manifest.tasks.tile_plan import TilePlan


class MatteTask(Task, tag="matte", kw_only=True, frozen=True):
    """How opaque the foreground is at each pixel of the picture.

    `output` is a map over the whole input: [1, height, width], [1, channels, height, width], or as `nhwc` [1, height,
    width, channels], of which `channel` counts. Its values go through `activation`, a sigmoid or a softmax over the
    channels. Then `low` is transparent and `high` opaque; with `min_max` the least and the largest finite value are,
    where they differ. alpha = min(max((value - low) / (high - low), 0), 1).

    Alpha is read over the source picture as a `DepthTask`'s map is, and is 0 outside the input and where the
    output is NaN. level = floor(255 * alpha + 0.5).

    `foreground` [1, 3, height, width], as `nhwc` [1, height, width, 3], holds the colours, 0..1, of the foreground, if
    the model returns them: pixels that are neither transparent nor opaque take theirs from it.

    With `tiles`, which are exact, pictures are run in tiles; without, they are resized. Tiles that are not exact are
    never blended: what is in front is seen in the whole picture, and two tiles that took different things for it would
    leave half-transparent ones.
    """

    output: OutputName
    layout: Literal["nchw", "nhwc"] = "nchw"
    channel: Count = 0
    activation: Literal["none", "sigmoid", "softmax"] = "none"
    low: float = 0.0
    high: float = 1.0
    min_max: bool = False
    foreground: OutputName | None = None
    tiles: TilePlan | None = None
