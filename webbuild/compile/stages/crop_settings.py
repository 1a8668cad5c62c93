"""The `crop` table of a pipeline file: which boxes a stage crops, how, and the preprocessing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import CropInput
from webbuild.preprocess.image import input_size
from webbuild.tasks.recognition.crop_embedding_families import arcface_template

Positive = Annotated[float, Meta(gt=0)]
ThreeNumbers = Annotated[list[float], Meta(min_length=3, max_length=3)]
ThreePositiveNumbers = Annotated[list[Positive], Meta(min_length=3, max_length=3)]
PixelPosition = Annotated[list[float], Meta(min_length=2, max_length=2)]


class CropSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True):
    """Settings of the crops; the model determines those left out.

    `padding` multiplies the sides of a box. Then `keep` enlarges the box to the aspect ratio of the input, `stretch`
    does not. Boxes with one of the `classes` (none: any class) and a score of at least `min_score` are cropped, at most
    the `max_crops` best. `template` is the position of each keypoint of a box in the input, in pixels, or `arcface` for
    the five of a face. `pad` is the level of padding outside the picture. A pixel becomes (value * scale - mean) / std,
    with the channels in the order of `color`; `scale` alone sets mean to 0 and std to 1.
    """

    padding: Positive | None = None
    aspect: Literal["keep", "stretch"] | None = None
    classes: list[str] | None = None
    min_score: Annotated[float, Meta(ge=0, le=1)] | None = None
    max_crops: Annotated[int, Meta(ge=1, le=1000)] | None = None
    template: Literal["arcface"] | Annotated[list[PixelPosition], Meta(min_length=2)] | None = None
    pad: Annotated[int, Meta(ge=0, le=255)] | None = None
    color: Literal["rgb", "bgr"] | None = None
    scale: Positive | None = None
    mean: ThreeNumbers | None = None
    std: ThreePositiveNumbers | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not all(map(math.isfinite, _numbers(getattr(self, name)))):
                raise ValueError(f"`{name.replace('_', '-')}` is not finite")
        if isinstance(self.template, list) and len({tuple(point) for point in self.template}) == 1:
            raise ValueError("the points of `template` are all equal")

    def apply(self, crop: CropInput, classes: Sequence[str], keypoints: int, field: str) -> CropInput:
        """Return the crop input with these settings.

        Args:
            crop: the input as inferred from the model.
            classes: the class names of the boxes.
            keypoints: how many keypoints a box has.
            field: the path of the settings in the pipeline file, for messages.

        Raises:
            WebbuildError: `invalid-pipeline` for a class or a template that the boxes do not have.
        """
        plain = {} if self.scale is None else {"mean": [0.0] * 3, "std": [1.0] * 3}
        changes: dict[str, Any] = plain | {
            name: value
            for name in self.__struct_fields__
            if (value := getattr(self, name)) is not None and name not in ("classes", "template")
        }
        if self.classes is not None:
            changes["classes"] = [_class_index(name, classes, field) for name in self.classes]
        if self.template is not None:
            rows, columns = input_size(crop)
            if self.template == "arcface" and rows != columns:
                raise _invalid_crop(
                    f"{field}.template: arcface needs a square input, this one is {columns} by {rows}",
                    "write the points: [[x, y], ...] in pixels of the input",
                )
            template = arcface_template(columns) if self.template == "arcface" else self.template
            if len(template) != keypoints:
                raise _invalid_crop(
                    f"{field}.template: it has {len(template)} points, and the boxes have {keypoints} keypoints",
                    'write as many points as there are keypoints; task = "pose" keeps the keypoints of a face detector',
                )
            changes["template"] = template
        return msgspec.structs.replace(crop, **changes)


def _numbers(value: object) -> Iterator[float]:
    """Yield the numbers in a value and in nested lists."""
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _numbers(each)


def _class_index(name: str, classes: Sequence[str], field: str) -> int:
    if name not in classes:
        near = get_close_matches(name, classes, 1)
        fix = f"write {near[0] if near else 'one of ' + ', '.join(classes)}"
        raise _invalid_crop(f"{field}.classes: no box has the class {name}", fix)
    return list(classes).index(name)


def _invalid_crop(what: str, fix: str) -> WebbuildError:
    return WebbuildError("invalid-pipeline", what, fix, exit_code=USAGE)
