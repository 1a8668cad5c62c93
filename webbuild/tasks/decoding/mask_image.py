"""Drawing of a mask on its picture: the object tinted, the rest darkened."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_COLOR = np.array([42.0, 127.0, 255.0])
_SHARE = 0.5
"""Opacity of the tint on the object."""
_DARKER = 0.45
"""Brightness factor outside the object."""
_GRAY = 200.0
"""Grey level of the background if there is no picture."""


def mask_image(mask: NDArray[np.bool_], pixels: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
    """Return RGBA [height, width, 4], opaque.

    Args:
        mask: the object's pixels [height, width].
        pixels: the picture, RGBA of the same size; None for a grey background.
    """
    background = np.full((*mask.shape, 3), _GRAY)
    if pixels is not None and pixels.shape[:2] == mask.shape:
        background = pixels[..., :3].astype(np.float64)
    mixed = np.where(mask[..., None], _SHARE * _COLOR + (1 - _SHARE) * background, _DARKER * background)
    return np.concatenate([mixed, np.full((*mask.shape, 1), 255.0)], axis=-1).round().astype(np.uint8)
