"""A depth map as a small picture, in the colours of the page: what is near is bright."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import Task
from webbuild.reporting.data_url import encode_data_url
from webbuild.tasks.depth_map import DepthMap
from webbuild.tasks.registry import kind_of

VIRIDIS_STOPS = "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725"
"""Nine colours of viridis at even steps; web/src/tasks/depth/colormap/viridis.ts has the same."""
_MAX_SIDE = 440
"""Pixels of the longer side."""


def depth_colormap_url(task: Task, found: DepthMap, like: DepthMap | None = None) -> str:
    """Return a PNG as a data URL, transparent where there is no depth.

    Args:
        task: says what the numbers mean.
        found: the map, of which every pixel is drawn as long as it is small.
        like: the map whose extent the colours are spread over, where the task knows none.
    """
    from PIL import Image

    image = Image.fromarray(_apply_colormap(found.depth, *kind_of(task).colormap_range(task, like or found)))
    image.thumbnail((_MAX_SIDE, _MAX_SIDE), Image.Resampling.BOX)
    return encode_data_url(image, "PNG")


def _apply_colormap(depth: NDArray[np.float32], dark: float, bright: float) -> NDArray[np.uint8]:
    stops = np.array([list(bytes.fromhex(stop)) for stop in VIRIDIS_STOPS.split()], np.float64)
    seen = np.isfinite(depth)
    span = bright - dark
    share = np.where(seen, (depth - dark) / span, 0.0) if span else np.full(depth.shape, 0.5)
    place = np.clip(share, 0, 1) * (len(stops) - 1)
    channels: list[NDArray[Any]] = [np.interp(place, np.arange(len(stops)), stops[:, index]) for index in range(3)]
    return np.stack([*channels, np.where(seen, 255.0, 0.0)], axis=-1).round().astype(np.uint8)
