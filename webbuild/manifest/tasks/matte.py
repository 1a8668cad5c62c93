"""Matting: the opacity of the foreground."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task
from webbuild.manifest.tasks.tile_plan import TilePlan


class MatteTask(Task, tag="matte", kw_only=True, frozen=True):
    """Matting: the opacity (alpha) of the foreground at each pixel of the picture.

    `output` is a map over the whole input: [1, height, width], [1, channels, height, width], or with `nhwc` [1, height,
    width, channels]; `channel` is the one that is used. `activation` is applied first: a sigmoid, or a softmax over the
    channels. Then `low` is transparent and `high` opaque; with `min_max` they are the smallest and the largest finite
    value of the map, if these differ. alpha = min(max((value - low) / (high - low), 0), 1).

    Alpha is sampled over the source picture like a `DepthTask`'s map, and is 0 outside of the input and where the
    output is NaN. level = floor(255 * alpha + 0.5).

    `foreground` [1, 3, height, width], or with `nhwc` [1, height, width, 3], has the foreground's colours, 0..1, if the
    model returns them: pixels that are neither transparent nor opaque take their colour from it.

    With `tiles`, which are exact, pictures are run in tiles; without, they are resized. Inexact tiles are never
    blended: the foreground depends on the whole picture, and where two tiles disagree about it, the blend would be
    half-transparent.
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
