"""Inputs for pictures."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from webbuild.manifest.inputs.letterbox import Letterbox
from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import PictureShape

Color = Literal["rgb", "bgr", "gray", "rgba"]


class PictureInput(ManifestStruct, tag_field="kind", kw_only=True, frozen=True):
    """Base of the inputs for pictures; see `ImageInput` for the preprocessing."""

    name: str
    dtype: Literal["float32", "uint8", "int32"] = "float32"
    shape: PictureShape
    layout: Literal["nchw", "nhwc", "hwc"] = "nchw"
    color: Color = "rgb"
    scale: float
    mean: list[float]
    std: list[float]


class MaskChannel(ManifestStruct, kw_only=True, frozen=True):
    """The inpainting mask in the fourth channel of a picture's input: `hole` in the hole, `known` elsewhere.

    See `MaskInput`. With `empties_picture` the other three channels are 0 in the hole.
    """

    hole: float = 1.0
    known: float = 0.0
    empties_picture: bool = False


class ImageInput(PictureInput, tag="image", kw_only=True, frozen=True):
    """A picture. pixel = (value * scale - mean[c]) / std[c], channels in the order of `color`.

    `gray` is one channel, 0.299 R + 0.587 G + 0.114 B, not rounded. The fourth channel of `rgba` is 255 at every pixel,
    also in the padding: transparent pictures are first composited on white. For `uint8` and `int32` a pixel is rounded
    (ties to even) and clamped to 0..255. With `mask` the fourth channel is not alpha but the inpainting mask. The
    layout `hwc` is [height, width, channels], without a batch axis.
    """

    letterbox: Letterbox
    mask: MaskChannel | UnsetType = UNSET


class ReferenceInput(PictureInput, tag="reference", kw_only=True, frozen=True):
    """A second picture, such as a style, a reference or the next frame, with its own preprocessing; see `ImageInput`.

    The caller passes it to `run()` as `reference`. Its size may differ from the picture's.
    """

    letterbox: Letterbox
