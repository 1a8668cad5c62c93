"""The part of a picture around a box."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from webbuild.manifest.inputs.picture import PictureInput
from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count


class HalfTurn(ManifestStruct, kw_only=True, frozen=True):
    """Which lines are turned by 180 degrees: those of whose `classes` this `label` has a score above `score`."""

    label: str
    score: float


class LineSplit(ManifestStruct, kw_only=True, frozen=True):
    """Which lines are read in parts, and in which: those more than `above` times as wide as high.

    A part is `part` times as wide as the line is high, and shares `overlap` of its width with the one before it; the
    last one ends where the line does, and may share more.
    """

    above: float
    part: float
    overlap: float


class CropInput(PictureInput, tag="crop", kw_only=True, frozen=True):
    """The part of a picture around a box, by an affine transform; its pixels become what those of an `ImageInput` do.

    The boxes are those of an earlier stage that have an area, a score of at least `min_score`, and one of `classes` or,
    where that is empty, any class: of them the first `max_crops`, which are the best. In a bundle of one stage it is
    the box of the whole picture. A box with the middle (cx, cy), multiplied by `padding` and then, to `keep` its aspect
    ratio, enlarged along one side to that of the input, is w by h. The point (x, y) of the picture goes to

        ((x - cx) * width / w + width / 2, (y - cy) * height / h + height / 2)

    of the input, or where `unbiased` (UDP) to

        ((x - cx + w / 2) * (width - 1) / w, (y - cy + h / 2) * (height - 1) / h).

    With a `template`, a place in the input for each keypoint of a box, the transform is instead the similarity
    (rotation, scale, translation) that brings the keypoints nearest to it by least squares, as Umeyama's does.

    As a `line` it follows the rotated box: its `polygon`, four corners clockwise from where the text begins, else the
    upright box. A line 1.5 times as high as wide, or more, begins at its second corner: it is turned by 90 degrees. Of
    sides w and h, it takes the input's height and the first min(width, ceil(height * w / h)) columns. The rest is
    `pad`. The corners a, b, c, d go to (0, 0), (columns, 0), (columns, height), (0, height). `padding` is not read.
    With `half_turn` an earlier stage said of each line whether it stands on its head: its corners are c, d, a, b then.
    With `split` a line that is too wide is not squeezed: it takes all columns, and the first
    max(1, floor(width * h / w)) rows, or is read in parts.

    Pixel i lies at the whole number i, as in OpenCV. Each pixel of the input is read bilinearly, in float64, not
    rounded; pixels beyond the picture are `pad`.
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
