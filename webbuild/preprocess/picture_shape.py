"""Recognize picture, mask and number inputs by their shapes."""

from __future__ import annotations

import math
import re
from typing import Literal

import msgspec

from webbuild.manifest.inputs.input import Input
from webbuild.manifest.inputs.letterbox import Letterbox
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.inputs.option import NumberInput
from webbuild.manifest.inputs.picture import Color, ImageInput, MaskChannel
from webbuild.manifest.inputs.tensor import TensorInput
from webbuild.preprocess.image import input_size

_MIN_SIDE = 16
"""Smallest side in pixels of a tensor that counts as a picture."""
_AUDIO = re.compile(r"mel|spectr|audio|wave?form|fbank|mfcc|speech", re.IGNORECASE)
_MEL_BANDS = (40, 80)
"""Usual numbers of mel bands that are no usual heights of pictures."""
Layout = Literal["nchw", "nhwc"]
_AXES: dict[Layout, int] = {"nchw": 1, "nhwc": 3}
_COLORS: dict[int, Color] = {3: "rgb", 1: "gray", 4: "rgba"}
_LATENT = re.compile("latent", re.IGNORECASE)
_MIN_RGBA_SIDE = 192
"""Smallest side in pixels of a four-channel tensor that counts as RGBA: latents are smaller."""


def picture_of_shape(spec: TensorInput, least: int = _MIN_SIDE, layout: Layout | None = None) -> ImageInput | None:
    """Return a tensor input as a stretched picture of 0..1 floats or of bytes; None if it has another shape.

    The shape is [1, C, H, W] or [1, H, W, C] with 1 or 3 channels and sides of at least `least`. With 4 channels sides
    must be at least `_MIN_RGBA_SIDE`. A `least` below `_MIN_SIDE` means that the input is surely a picture; then
    `_MIN_SIDE` is enough. A latent by its name is no picture.
    """
    if len(spec.shape) != 4 or spec.dtype not in ("float32", "uint8") or is_latent(spec.name):
        return None
    for each, axis in _AXES.items():
        if layout not in (None, each):
            continue
        batch, *sides = spec.shape
        channels = sides.pop(axis - 1)
        needed = least if channels != 4 else _MIN_RGBA_SIDE if least >= _MIN_SIDE else _MIN_SIDE
        if batch == 1 and channels in _COLORS and min(sides) >= needed:
            return ImageInput(
                name=spec.name,
                dtype=spec.dtype,
                shape=spec.shape,
                layout=each,
                color=_COLORS[channels],
                scale=1 / 255 if spec.dtype == "float32" else 1.0,
                mean=[0.0] * channels,
                std=[1.0] * channels,
                letterbox=Letterbox(mode="stretch"),
            )
    return None


def is_latent(name: str) -> bool:
    """Whether an input takes latents, not a picture, by its name: `latent_sample` in diffusers."""
    return _LATENT.search(name) is not None


def may_be_spectrogram(spec: TensorInput) -> bool:
    """Whether a one-channel input is more likely audio than a grey picture, by its name or its sides.

    Frames by mel bands are higher than wide, as in [1, 76, 32, 1] or [1, 1, 96, 64]; grey pictures are squares, lines
    of text or landscapes.
    """
    image = picture_of_shape(spec)
    if image is None or image.color != "gray":
        return False
    height, width = input_size(image)
    return _AUDIO.search(spec.name) is not None or height > width or (height != width and height in _MEL_BANDS)


def masked_picture_of_shape(spec: TensorInput) -> ImageInput | None:
    """Return a four-channel input as a picture with a mask channel, 1 in the hole; None for any other input."""
    image = picture_of_shape(spec, _MIN_SIDE - 1) if has_fourth_channel(spec) else None
    if image is None or image.color != "rgba":
        return None
    mask = MaskChannel(hole=255.0 if spec.dtype == "uint8" else 1.0)
    return msgspec.structs.replace(image, mask=mask)


def mask_of_shape(spec: Input, image: ImageInput) -> MaskInput | None:
    """Return a one-channel input of the picture's size as its mask; None for any other input.

    Its shape is [1, 1, H, W], [1, H, W, 1] or [1, H, W]. The hole is 1, or 255 for uint8. The values are swapped if the
    name contains known, valid or keep.
    """
    sides = image.shape[2:] if image.layout == "nchw" else image.shape[1:3]
    if not isinstance(spec, TensorInput) or spec.shape not in ([1, 1, *sides], [1, *sides, 1], [1, *sides]):
        return None
    one = 255.0 if spec.dtype == "uint8" else 1.0
    hole, known = (0.0, one) if re.search("known|valid|keep", spec.name, re.IGNORECASE) else (one, 0.0)
    return MaskInput(name=spec.name, dtype=spec.dtype, shape=spec.shape, hole=hole, known=known)


def number_of_shape(spec: Input) -> NumberInput | None:
    """Return a tensor of one float, [], [1] or [1, 1], as a number; None for any other input."""
    if not isinstance(spec, TensorInput) or spec.dtype != "float32" or math.prod(spec.shape) != 1:
        return None
    return NumberInput(name=spec.name, shape=spec.shape, default=1.0)


def has_fourth_channel(spec: TensorInput) -> bool:
    """Whether an input has four channels and may be a picture: RGB and a mask, or RGBA."""
    match spec.shape:
        case [1, 4, high, wide] | [1, high, wide, 4]:
            return min(high, wide) >= _MIN_SIDE
    return False
