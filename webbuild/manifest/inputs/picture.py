"""Inputs that a picture's pixels become."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from webbuild.manifest.inputs.letterbox import Letterbox
from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import PictureShape

Color = Literal["rgb", "bgr", "gray", "rgba"]


class PictureInput(ManifestStruct, tag_field="kind", kw_only=True, frozen=True):
    """Base of the inputs that a picture's pixels become; `ImageInput` says how."""

    name: str
    dtype: Literal["float32", "uint8"] = "float32"
    shape: PictureShape
    layout: Literal["nchw", "nhwc", "hwc"] = "nchw"
    color: Color = "rgb"
    scale: float
    mean: list[float]
    std: list[float]


class MaskChannel(ManifestStruct, kw_only=True, frozen=True):
    """The mask in the fourth channel of a picture's input: `hole` in the hole, `known` elsewhere; see `MaskInput`.

    With `empties_picture` the other three channels are 0 in the hole.
    """

    hole: float = 1.0
    known: float = 0.0
    empties_picture: bool = False


class ImageInput(PictureInput, tag="image", kw_only=True, frozen=True):
    """A picture. pixel = (value * scale - mean[c]) / std[c], channels in the order of `color`.

    `gray` is one channel, 0.299 R + 0.587 G + 0.114 B, not rounded. The fourth channel of `rgba` has the value 255 at
    every pixel, in the padding too: pictures are put on white first. As `uint8` a pixel is rounded, ties to even, and
    held to 0..255. With `mask` the fourth channel is no alpha but the mask of what is filled in. The layout `hwc` is
    [height, width, channels], without a batch axis.
    """

    letterbox: Letterbox
    mask: MaskChannel | UnsetType = UNSET


class ReferenceInput(PictureInput, tag="reference", kw_only=True, frozen=True):
    """A second picture, such as a style, a reference or the next frame; its pixels become what an `ImageInput`'s do.

    The caller gives it to `run()` as `reference`. Its size may be another than the picture's.
    """

    letterbox: Letterbox
