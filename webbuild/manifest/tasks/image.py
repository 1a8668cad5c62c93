"""Image-to-image models."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task
from webbuild.manifest.tasks.tile_plan import TilePlan


class ImageTask(Task, tag="image", kw_only=True, frozen=True):
    """Image to image: super-resolution, denoising, colourization, style transfer and so on.

    `output` [1, 3, scale * height, scale * width], or with `nhwc` [1, scale * height, scale * width, 3], is a picture
    over the whole input at `scale` times its size: black is `low`, white is `high`, channels in the order of `order`.

    The result has `scale` times the size of the source picture, and is sampled like a `DepthTask`'s map, per channel.
    level = floor(255 * min(max((value - low) / (high - low), 0), 1) + 0.5). Pixels outside of the input are
    transparent.

    With `luma` the output has one channel, [1, 1, scale * height, scale * width]: Y of YCbCr (ITU-R BT.601). `low` and
    `high` are 16 / 255 and 235 / 255 if Y has the studio range. Cb and Cr are those of the source picture on white,
    resized with bicubic interpolation (see `Letterbox`):

        Y = 255 * min(max((value - low) / (high - low), 0), 1)
        Cb = (B - Y') / 1.772,  Cr = (R - Y') / 1.402,  Y' = 0.299 R + 0.587 G + 0.114 B,  each clamped to -128..127
        red = Y + 1.402 Cr,  blue = Y + 1.772 Cb,  green = (Y - 0.299 red - 0.114 blue) / 0.587

    With `tiles`, pictures are run in tiles; without, they are resized.
    """

    output: OutputName
    layout: Literal["nchw", "nhwc"] = "nchw"
    scale: Annotated[int, Meta(ge=1, le=8)] = 1
    low: float = 0.0
    high: float = 1.0
    order: Literal["rgb", "bgr"] = "rgb"
    luma: bool = False
    tiles: TilePlan | None = None
