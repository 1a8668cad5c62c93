"""The input that a model wants the size of a picture in, as the manifest says it."""

from __future__ import annotations

from typing import Literal

from webbuild.task_specs import Json


class SizeInput(Json, tag="size", tag_field="kind", kw_only=True, frozen=True):
    """The width and height of a picture in pixels, two whole numbers in the order of `order`.

    `of` says which: of the `picture` as it was given, upright, or of the `input` that it became. The runtime fills
    it in with the type that the graph wants; a run of plain tensors that leaves it out gets the size of the input.
    """

    name: str
    dtype: Literal["int64", "int32", "float32"]
    shape: list[int]
    order: Literal["width-height", "height-width"] = "width-height"
    of: Literal["picture", "input"] = "picture"
