"""The shape of a picture: what an input of such a shape is taken for where nothing else tells."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.inputs import Color, ImageInput, Letterbox, TensorInput

MIN_SIDE = 16
"""Pixels of a side from which on channels are taken for a picture's."""
Layout = Literal["nchw", "nhwc"]
_AXES: dict[Layout, int] = {"nchw": 1, "nhwc": 3}
_COLORS: dict[int, Color] = {3: "rgb", 1: "gray"}


def picture_of_shape(spec: TensorInput, least: int = MIN_SIDE, layout: Layout | None = None) -> ImageInput | None:
    """Return an input as a picture of 0..1, or of bytes, that is stretched; None where it has not the shape of one.

    That is [1, C, H, W] or [1, H, W, C] with three channels or one, and sides of at least `least`.
    """
    if len(spec.shape) != 4 or spec.dtype not in ("float32", "uint8"):
        return None
    for each, axis in _AXES.items():
        if layout not in (None, each):
            continue
        batch, *sides = spec.shape
        channels = sides.pop(axis - 1)
        if batch == 1 and channels in _COLORS and min(sides) >= least:
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


def has_fourth_channel(spec: TensorInput) -> bool:
    """Whether an input is a picture of three channels and one more, such as RGBA."""
    match spec.shape:
        case [1, 4, high, wide] | [1, high, wide, 4]:
            return min(high, wide) >= MIN_SIDE
    return False
