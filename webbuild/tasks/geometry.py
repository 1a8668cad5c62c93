"""Where a picture lands inside the model's input, and the way back."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest import Letterbox


class Placement(Struct, frozen=True):
    """A source picture of `source_width` x `source_height` drawn at (`left`, `top`), `width` x `height` large.

    All in pixels; the last four inside the model's input.
    """

    source_width: int
    source_height: int
    left: int
    top: int
    width: int
    height: int

    def to_source(self, points: NDArray[Any], *, clamp: bool) -> NDArray[np.float64]:
        """Map points [..., 2] (x, y in input pixels) to pixels of the source, clamped to its edges or not."""
        scale = np.array([self.source_width / self.width, self.source_height / self.height])
        mapped: NDArray[np.float64] = (np.asarray(points, np.float64) - [self.left, self.top]) * scale
        if clamp:
            np.clip(mapped, 0.0, [self.source_width, self.source_height], out=mapped)
        return mapped


def place(source_width: int, source_height: int, width: int, height: int, spec: Letterbox) -> Placement:
    """Return where a source picture goes in an input of width x height; the formula is `Letterbox`'s docstring."""
    if spec.mode == "stretch":
        return Placement(source_width, source_height, 0, 0, width, height)
    gain = min(height / source_height, width / source_width)
    new_width = max(1, round(source_width * gain))
    new_height = max(1, round(source_height * gain))
    left = max(0, round((width - new_width) / 2 - 0.1))
    top = max(0, round((height - new_height) / 2 - 0.1))
    return Placement(source_width, source_height, left, top, new_width, new_height)
