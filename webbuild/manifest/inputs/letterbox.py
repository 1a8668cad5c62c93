"""How a picture of any size becomes the input's fixed size."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count

Interpolation = Literal["bilinear", "bilinear-antialias", "nearest", "bicubic"]


class Letterbox(ManifestStruct, kw_only=True, frozen=True):
    """How a picture of any size becomes the input's fixed size.

    `letterbox`: the picture keeps its aspect ratio: gain = min(height / h, width / w), resized to round(w * gain)
    by round(h * gain) (ties to even, or up with the rounding `half-up`; at least 1). With the anchor `center` it is
    placed with round((width - w') / 2 - 0.1) columns of `pad` before it and round((height - h') / 2 - 0.1) rows above
    it, with `top-left` with none; the rest of `pad` lies right and below.

    `crop`: the picture keeps its aspect ratio and covers the input: the side that fills it takes the input's
    size, the other is cut to a whole number, floor(width * h / w) or floor(height * w / h). Then
    round((w' - width) / 2) columns and round((height' - height) / 2) rows (ties to even) are cut off before it,
    none with `top-left`, and what is too much right and below. On a square input this is torchvision's Resize to
    the shorter side and CenterCrop; with `edge`, Resize(edge) and a CenterCrop that is smaller: the picture then covers
    a square of `edge` pixels.

    `line`: the picture takes the input's height and keeps its aspect ratio: min(width, ceil(w * height / h)) columns
    from the left; the rest is `pad`. A line of text that is too long is squeezed.

    `stretch` ignores the aspect ratio and pads nothing. `pad` is a level of all colours, or one of red, green and
    blue each, or `mean`: the input's mean, which is 0 in the tensor.

    The resamplers are defined in `webbuild/preprocess/resample.py`; all compute in float64.
    """

    mode: Literal["letterbox", "stretch", "crop", "line"] = "letterbox"
    anchor: Literal["center", "top-left"] = "center"
    pad: int | Literal["mean"] | Annotated[list[float], Meta(min_length=3, max_length=3)] = 114
    interpolation: Interpolation = "bilinear"
    rounding: Literal["half-up"] | UnsetType = UNSET
    edge: Count | UnsetType = UNSET
