"""Crops: the part of a picture around a box."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from webbuild.manifest.inputs.picture import PictureInput
from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count


class HalfTurn(ManifestStruct, kw_only=True, frozen=True):
    """Lines to rotate by 180 degrees: those whose `classes` have a score above `score` for this `label`."""

    label: str
    score: float


class LineSplit(ManifestStruct, kw_only=True, frozen=True):
    """Lines to read in parts: those more than `above` times as wide as high.

    A part is `part` times as wide as the line is high, and overlaps the previous part by `overlap` of its width. The
    last part ends at the end of the line, and may overlap more.
    """

    above: float
    part: float
    overlap: float


class CropInput(PictureInput, tag="crop", kw_only=True, frozen=True):
    """The part of a picture around a box, cut out by an affine transform.

    Pixels become tensor values as in `ImageInput`. The boxes are those of an earlier stage with an area above 0, a
    score of at least `min_score`, and one of `classes` (empty: any class): the best `max_crops` of them. In a bundle of
    one stage the only box is the whole picture.

    The box with the centre (cx, cy) is multiplied by `padding`. With the aspect `keep` it is then enlarged along one
    side to the aspect ratio of the input. It is now w by h. The point (x, y) of the picture is mapped to the input's
    point

        ((x - cx) * width / w + width / 2, (y - cy) * height / h + height / 2)

    or with `unbiased` (UDP) to

        ((x - cx + w / 2) * (width - 1) / w, (y - cy + h / 2) * (height - 1) / h).

    `template` is a list of points in the input, one for each keypoint of a box. With it, the transform is the
    similarity (rotation, scale, translation) that maps the keypoints to these points with the least squared error
    (Umeyama).

    With the aspect `line` the transform follows the rotated box: its `polygon`, four corners clockwise from the start
    of the text, else the upright box. `padding` is not used. A line at least 1.5 times as high as wide starts at its
    second corner, which rotates it by 90 degrees. A line with the sides w and h fills the input's height and the first
    min(width, ceil(height * w / h)) columns; the rest is `pad`. The corners a, b, c, d are mapped to (0, 0), (columns,
    0), (columns, height), (0, height). With `half_turn` an earlier stage classifies the orientation of each line: the
    corners of an upside-down line are c, d, a, b. With `split` a line that is too wide is not squeezed horizontally: it
    fills all columns and the first max(1, floor(width * h / w)) rows, or is read in parts.

    Pixel i is at the integer i, as in OpenCV. Pixels are sampled bilinearly in float64, without rounding; pixels
    outside of the picture are `pad`.
    """

    padding: float = 1.25
    aspect: Literal["keep", "stretch", "line"] = "keep"
    unbiased: bool = False
    pad: float = 0.0
    template: list[Annotated[list[float], Meta(min_length=2, max_length=2)]] = []
    classes: list[Count] = []
    min_score: float = 0.0
    max_crops: Count = 1000
    half_turn: HalfTurn | UnsetType = UNSET
    split: LineSplit | UnsetType = UNSET
