"""Several pictures of one scene, and a number for each."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.inputs.letterbox import Letterbox
from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count, Shape


class StackInput(ManifestStruct, tag="stack", tag_field="kind", kw_only=True, frozen=True):
    """`count` pictures of one scene with the same size, each preprocessed as in `ImageInput`.

    They are stacked in `shape`, [1, count, 3, height, width] or [count, 3, height, width].
    """

    name: str
    dtype: Literal["float32"] = "float32"
    shape: Shape
    count: Count
    color: Literal["rgb", "bgr"] = "rgb"
    scale: float
    mean: list[float]
    std: list[float]
    letterbox: Letterbox


class FocusInput(ManifestStruct, tag="focus", tag_field="kind", kw_only=True, frozen=True):
    """A number for each picture of the stack, such as its focus distance.

    The caller passes them to `run()` as `focusDistances`; the runtime fills in `default`.
    """

    name: str
    dtype: Literal["float32"] = "float32"
    shape: Shape
    default: list[float]
