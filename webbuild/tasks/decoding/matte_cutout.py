"""Cutout of a picture by an alpha matte; a picture's own alpha is multiplied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_OPAQUE = 255


def cut_out(
    rgba: NDArray[np.uint8], alpha: NDArray[np.uint8], foreground: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """Return the cutout, RGBA [height, width, 4], not premultiplied.

    Args:
        rgba: the picture [height, width, 4].
        alpha: 0 to 255 [height, width].
        foreground: colours [height, width, 3] of the pixels that are neither transparent nor opaque, if there are any.
    """
    cut = rgba.copy()
    cut[..., 3] = (alpha.astype(np.uint32) * rgba[..., 3] * 2 + _OPAQUE) // (2 * _OPAQUE)
    if foreground is not None:
        edges = (alpha > 0) & (alpha < _OPAQUE)
        cut[edges, :3] = foreground[edges]
    return cut
