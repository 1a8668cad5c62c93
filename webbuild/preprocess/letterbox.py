"""Letterbox geometry: a picture's place inside the model's input, and the inverse."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np
from msgspec import UNSET, Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import Letterbox
from webbuild.preprocess.crop_box import Crop


class ImagePlacement(Struct, frozen=True):
    """A source picture of `source_width` x `source_height` drawn at (`left`, `top`), `width` x `height` large.

    `left`, `top`, `width` and `height` are in pixels of the model's input, `input_width` x `input_height`. Parts
    outside the input are cut off, so `left` and `top` may be negative. `crops` are the crops of a crop input.
    """

    source_width: int
    source_height: int
    left: int
    top: int
    width: int
    height: int
    input_width: int
    input_height: int
    crops: tuple[Crop, ...] = ()

    def to_source(self, points: NDArray[Any], *, clamp: bool) -> NDArray[np.float64]:
        """Map points [..., 2] (x, y in input pixels) to pixels of the source, clamped to its edges or not."""
        scale = np.array([self.source_width / self.width, self.source_height / self.height])
        mapped: NDArray[np.float64] = (np.asarray(points, np.float64) - [self.left, self.top]) * scale
        if clamp:
            np.clip(mapped, 0.0, [self.source_width, self.source_height], out=mapped)
        return mapped


def place_image(source_width: int, source_height: int, width: int, height: int, spec: Letterbox) -> ImagePlacement:
    """Return the placement of a picture in an input of width x height. `Letterbox`'s docstring has the formulas."""
    match spec.mode:
        case "stretch":
            return ImagePlacement(source_width, source_height, 0, 0, width, height, width, height)
        case "line":
            new_width = min(width, -(-source_width * height // source_height))
            return ImagePlacement(source_width, source_height, 0, 0, new_width, height, width, height)
        case "crop":
            covered = (width, height) if spec.edge is UNSET else (spec.edge, spec.edge)
            new_width, new_height = _cover_size(source_width, source_height, *covered)
            left, top = -round((new_width - width) / 2), -round((new_height - height) / 2)
        case "letterbox":
            gain = min(height / source_height, width / source_width)
            whole = round if spec.rounding is UNSET else _round_half_up
            new_width, new_height = max(1, whole(source_width * gain)), max(1, whole(source_height * gain))
            left, top = (max(0, round(rest / 2 - 0.1)) for rest in (width - new_width, height - new_height))
    if spec.anchor == "top-left":
        left = top = 0
    return ImagePlacement(source_width, source_height, left, top, new_width, new_height, width, height)


def _round_half_up(value: float) -> int:
    return floor(value + 0.5)


def _cover_size(source_width: int, source_height: int, width: int, height: int) -> tuple[int, int]:
    if width * source_height >= height * source_width:
        return width, width * source_height // source_width
    return height * source_width // source_height, height
