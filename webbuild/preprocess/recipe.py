"""The preprocessing of a picture, without the input's name and shape."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from webbuild.manifest.inputs.letterbox import Letterbox
from webbuild.manifest.inputs.picture import ImageInput


class Recipe(Struct, frozen=True, kw_only=True):
    """The preprocessing fields of an `ImageInput` with three channels."""

    color: Literal["rgb", "bgr"] = "rgb"
    scale: float = 1 / 255
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)
    letterbox: Letterbox = Letterbox()

    def apply(self, image: ImageInput) -> ImageInput:
        """Return the input with this preprocessing."""
        return msgspec.structs.replace(
            image,
            color=self.color,
            scale=self.scale,
            mean=list(self.mean),
            std=list(self.std),
            letterbox=self.letterbox,
        )
