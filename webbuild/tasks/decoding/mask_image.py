"""A mask over the picture that it is of: the object in a colour, the rest darker."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_COLOR = np.array([42.0, 127.0, 255.0])
_SHARE = 0.5
"""Of the colour, on the object."""
_DARKER = 0.45
"""Part of the picture's light that is left beside it."""
_GRAY = 200.0
"""The level of a picture that is not at hand."""


def mask_image(mask: NDArray[np.bool_], pixels: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
    """Return RGBA [height, width, 4], opaque.

    Args:
        mask: the object's pixels [height, width].
        pixels: the picture, RGBA of the same size; None for a gray one.
    """
    behind = np.full((*mask.shape, 3), _GRAY)
    if pixels is not None and pixels.shape[:2] == mask.shape:
        behind = pixels[..., :3].astype(np.float64)
    mixed = np.where(mask[..., None], _SHARE * _COLOR + (1 - _SHARE) * behind, _DARKER * behind)
    return np.concatenate([mixed, np.full((*mask.shape, 1), 255.0)], axis=-1).round().astype(np.uint8)
