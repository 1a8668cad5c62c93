"""Resizing of pictures to the input's fixed size."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count

Interpolation = Literal["bilinear", "bilinear-antialias", "nearest", "bicubic"]


class Letterbox(ManifestStruct, kw_only=True, frozen=True):
    """How a picture of any size (w by h) is resized to the input's fixed size (width by height).

    `letterbox` keeps the aspect ratio: gain = min(height / h, width / w). The picture is resized to round(w * gain) by
    round(h * gain), at least 1 (ties to even; up with the rounding `half-up`). With the anchor `center`,
    round((width - w') / 2 - 0.1) columns and round((height - h') / 2 - 0.1) rows of `pad` are put before it, with
    `top-left` none. The rest of the padding is on the right and below.

    `crop` keeps the aspect ratio, and the picture covers the input: one side has the input's size, the other is
    floor(width * h / w) or floor(height * w / h). Then round((w' - width) / 2) columns and round((height' - height) /
    2) rows (ties to even; with `top-left` none) are cut off before it, and the rest on the right and below. For a
    square input this is torchvision's Resize to the shorter side and CenterCrop. With `edge` it is Resize(edge) and a
    smaller CenterCrop: the picture covers a square of `edge` pixels.

    `line` resizes the picture to the input's height and keeps the aspect ratio: it fills min(width, ceil(w * height /
    h)) columns from the left; the rest is `pad`. A line of text that is too long is squeezed.

    `stretch` ignores the aspect ratio, without padding. `pad` is one level for all colours, a level for each of red,
    green and blue, or `mean`: the input's mean, which is 0 in the tensor.

    The resamplers are defined in `webbuild/preprocess/resample.py`; all compute in float64.
    """

    mode: Literal["letterbox", "stretch", "crop", "line"] = "letterbox"
    anchor: Literal["center", "top-left"] = "center"
    pad: int | Literal["mean"] | Annotated[list[float], Meta(min_length=3, max_length=3)] = 114
    interpolation: Interpolation = "bilinear"
    rounding: Literal["half-up"] | UnsetType = UNSET
    edge: Count | UnsetType = UNSET
