"""Bilinear resampling with half-pixel centres and clamped edges, in float64 and not rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def _taps(size: int, new_size: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Return for each output position its two source positions and the weight of the second."""
    position = np.clip((np.arange(new_size) + 0.5) * size / new_size - 0.5, 0, size - 1)
    first = np.floor(position).astype(np.intp)
    return first, np.minimum(first + 1, size - 1), position - first


def bilinear(pixels: NDArray[Any], width: int, height: int) -> NDArray[np.float64]:
    """Resample pixels [h, w, channels] to [height, width, channels].

    The order of the operations is part of the definition: the runtime computes the same bits.
    """
    source = np.asarray(pixels, np.float64)
    x0, x1, fx = _taps(source.shape[1], width)
    y0, y1, fy = _taps(source.shape[0], height)
    fx, fy = fx[None, :, None], fy[:, None, None]
    upper = (1 - fx) * source[y0][:, x0] + fx * source[y0][:, x1]
    lower = (1 - fx) * source[y1][:, x0] + fx * source[y1][:, x1]
    result: NDArray[np.float64] = (1 - fy) * upper + fy * lower
    return result
