"""Drawing of a cutout on a checkerboard."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SQUARE = 12
"""Side of a square in pixels, for a picture whose longer side is `_SIDE`."""
_SIDE = 440
_DARK, _BRIGHT = 150, 210
_INK = 20
"""Grey level of the foreground if there is no picture."""


def matte_image(alpha: NDArray[np.uint8], pixels: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
    """Return RGBA [height, width, 4], opaque.

    Args:
        alpha: 0 to 255 [height, width].
        pixels: the picture, RGBA of the same size; None to fill the foreground with one colour.
    """
    height, width = alpha.shape
    side = max(1, round(_SQUARE * max(height, width) / _SIDE))
    rows, columns = np.arange(height) // side, np.arange(width) // side
    board = np.where((rows[:, None] + columns) % 2, _DARK, _BRIGHT)[..., None].astype(np.float64)
    share = alpha[..., None].astype(np.float64) / 255
    front = np.full((height, width, 3), _INK, np.float64)
    if pixels is not None and pixels.shape[:2] == alpha.shape:
        front = pixels[..., :3].astype(np.float64)
        share = share * pixels[..., 3:].astype(np.float64) / 255
    mixed = share * front + (1 - share) * board
    return np.concatenate([mixed, np.full((height, width, 1), 255.0)], axis=-1).round().astype(np.uint8)
