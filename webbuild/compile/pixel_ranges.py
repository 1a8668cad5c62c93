"""Pixel ranges: the usual normalizations of pixel values."""

from __future__ import annotations

from typing import TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import CropInput, ImageInput

Picture = TypeVar("Picture", ImageInput, CropInput)


class PixelRange(Struct, frozen=True):
    """A normalization of pixel values 0..255: (value * scale - mean) / std."""

    name: str
    scale: float
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)


UNIT = PixelRange("0..1", 1 / 255)
SIGNED = PixelRange("-1..1", 1 / 127.5, (1.0, 1.0, 1.0))
IMAGENET = PixelRange("ImageNet's mean and deviation", 1 / 255, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
PLAIN = PixelRange("0..255", 1.0)
CENTRED = PixelRange("0..255 less ImageNet's mean", 1.0, (123.675, 116.28, 103.53))
STUDIO = PixelRange("16/255..235/255", 219 / 255 / 255, (-16 / 255,) * 3)
"""Luma in the studio range of ITU-R BT.601; only an option chooses it, because trials cannot tell it from 0..1."""
RANGES = (UNIT, SIGNED, IMAGENET, PLAIN)
"""The ranges that exports use, the most common first."""


def with_range(image: Picture, values: PixelRange) -> Picture:
    """Return the input with this normalization."""
    channels = len(image.mean)
    return msgspec.structs.replace(
        image,
        scale=values.scale,
        mean=[*values.mean, values.mean[0]][:channels],
        std=[*values.std, values.std[0]][:channels],
    )


def range_of(image: ImageInput) -> PixelRange:
    """Return the usual range with the values of an input, however its scale and deviation are split; else `UNIT`."""
    own = _slope_and_offset(image)
    same = (each for each in usual_ranges(image) if np.allclose(_slope_and_offset(with_range(image, each)), own))
    return next(same, UNIT)


def _slope_and_offset(image: ImageInput) -> NDArray[np.float64]:
    """Return [2, channels]: value * slope - offset. (value / 255 - 0.5) / 0.5 is value / 127.5 - 1."""
    std = np.array(image.std)
    return np.array([image.scale / std, np.array(image.mean) / std])


def usual_ranges(image: ImageInput) -> tuple[PixelRange, ...]:
    """Return the ranges that fit the input's number of channels: ImageNet's needs three."""
    return RANGES if len(image.mean) == 3 else tuple(each for each in RANGES if each is not IMAGENET)
