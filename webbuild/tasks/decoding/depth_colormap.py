"""A depth map in the colours of the page: near is bright."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

VIRIDIS_STOPS = "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725"
"""Nine evenly spaced colours of viridis, the same as in web/src/tasks/depth/colormap/viridis.ts."""


def apply_colormap(depth: NDArray[np.float32], dark: float, bright: float) -> NDArray[np.uint8]:
    """Return RGBA [height, width, 4], transparent where there is no depth.

    Args:
        depth: the values [height, width].
        dark: the value of the darkest colour.
        bright: the value of the brightest colour.
    """
    stops = np.array([list(bytes.fromhex(stop)) for stop in VIRIDIS_STOPS.split()], np.float64)
    has_depth = np.isfinite(depth)
    span = bright - dark
    fraction = np.where(has_depth, (depth - dark) / span, 0.0) if span else np.full(depth.shape, 0.5)
    position = np.clip(fraction, 0, 1) * (len(stops) - 1)
    channels: list[NDArray[Any]] = [np.interp(position, np.arange(len(stops)), stops[:, index]) for index in range(3)]
    return np.stack([*channels, np.where(has_depth, 255.0, 0.0)], axis=-1).round().astype(np.uint8)
