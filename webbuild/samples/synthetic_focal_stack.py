"""A synthetic focal stack for a model without samples: one photograph, in focus at a different column in each frame.

The simulated depth is a ramp: left is near.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.preprocess.image import encode_png, load_image
from webbuild.preprocess.resample import filter_taps, resample
from webbuild.samples.random_inputs import SAMPLE_IMAGES

_WIDTH = 240
_BLUR_LEVELS = 4
"""Number of blur levels; each has half the resolution of the level before."""


def synthetic_focal_stack(count: int) -> list[bytes]:
    """Return `count` pictures as PNG files, all of one size: the first is sharp on the left, the last on the right."""
    source = load_image(max(SAMPLE_IMAGES.glob("*.jpg")))[..., :3]
    height = round(_WIDTH * source.shape[0] / source.shape[1])
    levels = [
        _resize(_resize(source, height >> level, _WIDTH >> level), height, _WIDTH) for level in range(_BLUR_LEVELS)
    ]
    across = np.linspace(0, 1, _WIDTH)
    return [_frame(levels, np.abs(across - index / (count - 1))) for index in range(count)]


def _frame(levels: list[NDArray[Any]], distance: NDArray[Any]) -> bytes:
    """Encode one frame: blend the blur levels [height, width, 3] per column by its distance from focus [width]."""
    blur = np.minimum(distance * 2 * (len(levels) - 1), len(levels) - 1)
    weights = [np.clip(1 - np.abs(blur - level), 0, 1) for level in range(len(levels))]
    mixed = sum(weight[None, :, None] * level for weight, level in zip(weights, levels, strict=True))
    opaque = np.full((*levels[0].shape[:2], 4), 255, np.uint8)
    opaque[..., :3] = np.clip(np.round(mixed), 0, 255).astype(np.uint8)
    return encode_png(opaque)


def _resize(pixels: NDArray[Any], height: int, width: int) -> NDArray[Any]:
    rows, columns = (
        filter_taps("bilinear-antialias", old, new, range(new))
        for old, new in ((pixels.shape[0], height), (pixels.shape[1], width))
    )
    return resample(pixels, columns, rows, "bilinear-antialias")
