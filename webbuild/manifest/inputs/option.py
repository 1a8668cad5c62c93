"""Sizes and numbers next to a picture, such as thresholds."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Shape


class SizeInput(ManifestStruct, tag="size", tag_field="kind", kw_only=True, frozen=True):
    """The width and height of a picture in pixels, two integers in the order of `order`.

    `size_of` selects the source `picture` (upright) or the `input` that it is resized to. The runtime fills it in, in
    the type of the input. A run of plain tensors without it gets the size of the input.
    """

    name: str
    dtype: Literal["int64", "int32", "float32"]
    shape: Shape
    order: Literal["width-height", "height-width"] = "width-height"
    size_of: Literal["picture", "input"] = "picture"


class OptionInput(ManifestStruct, tag="option", tag_field="kind", kw_only=True, frozen=True):
    """A number that the caller may pass to `run()` as `option`; the runtime fills in `default`."""

    name: str
    dtype: Literal["float32"] = "float32"
    shape: Shape
    option: Literal["confidence", "iou"]
    default: float
    minimum: float = 0.0
    maximum: float = 1.0


class NumberInput(ManifestStruct, tag="number", tag_field="kind", kw_only=True, frozen=True):
    """A number next to a picture, such as an exposure: `shape` has one element.

    The caller may pass it to `run()` in `numbers`, by name; the runtime fills in `default`.
    """

    name: str
    dtype: Literal["float32"] = "float32"
    shape: Shape
    default: float
