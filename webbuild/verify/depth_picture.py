"""A depth map as a small picture, in the colours of the page: what is near is bright."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest import DepthTask
from webbuild.tasks.depth_map import DepthMap
from webbuild.verify.embedded import as_url

STOPS = "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725"
"""Nine colours of viridis at even steps; web/src/coloring/viridis.ts has the same."""
_SIDE = 440
"""Pixels of the longer side."""


def depth_picture(task: DepthTask, found: DepthMap, like: DepthMap | None = None) -> str:
    """Return a PNG as a data URL, transparent where there is no depth.

    Args:
        task: says what the numbers mean.
        found: the map, of which every pixel is drawn as long as it is small.
        like: the map whose extent the colours are spread over, where the task knows none.
    """
    from PIL import Image

    image = Image.fromarray(_coloured(found.depth, *_scale(task, like or found)))
    image.thumbnail((_SIDE, _SIDE), Image.Resampling.BOX)
    return as_url(image, "PNG")


def _scale(task: DepthTask, of: DepthMap) -> tuple[float, float]:
    """Return the values at the dark end and at the bright end."""
    low, high = of.minimum, of.maximum
    if task.near is not None and task.far is not None and task.near < task.far:
        low, high = task.near, task.far
    return (high, low) if task.quantity == "depth" else (low, high)


def _coloured(depth: NDArray[np.float32], dark: float, bright: float) -> NDArray[np.uint8]:
    stops = np.array([list(bytes.fromhex(stop)) for stop in STOPS.split()], np.float64)
    seen = np.isfinite(depth)
    span = bright - dark
    share = np.where(seen, (depth - dark) / span, 0.0) if span else np.full(depth.shape, 0.5)
    place = np.clip(share, 0, 1) * (len(stops) - 1)
    channels: list[NDArray[Any]] = [np.interp(place, np.arange(len(stops)), stops[:, index]) for index in range(3)]
    return np.stack([*channels, np.where(seen, 255.0, 0.0)], axis=-1).round().astype(np.uint8)
