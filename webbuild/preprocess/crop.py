"""Crops: parts of a picture around boxes, cut by affine transforms. `CropInput` has the formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from webbuild.manifest.manifest import CropInput
from webbuild.preprocess.affine import Affine, similarity
from webbuild.preprocess.crop_box import Crop, CropBox, distance, line_sides
from webbuild.preprocess.image import composite_on_white, input_size


def whole_picture(rgba: NDArray[np.uint8]) -> CropBox:
    """Return the box of a whole picture [height, width, 4]."""
    height, width = rgba.shape[:2]
    return CropBox((0.0, 0.0, float(width), float(height)))


def select_crop_boxes(boxes: Sequence[CropBox], spec: CropInput) -> list[CropBox]:
    """Return the boxes to crop, best first; lines of text that are upside down are rotated by 180 degrees."""
    return [_with_half_turn(each, spec) for each in boxes if _is_selected(each, spec)][: spec.max_crops]


def _with_half_turn(box: CropBox, spec: CropInput) -> CropBox:
    """Return the box rotated by 180 degrees if an earlier stage classified its text as upside down."""
    turn = spec.half_turn
    if turn is UNSET or not any(
        one.label == turn.label and one.score > turn.score for one in box.attributes.get("classes", ())
    ):
        return box
    first, second, third, last = box.corners
    return msgspec.structs.replace(box, polygon=(third, last, first, second), turned=True)


def _is_selected(box: CropBox, spec: CropInput) -> bool:
    x1, y1, x2, y2 = box.box
    has_class = not spec.classes or box.class_index in spec.classes
    return has_class and box.score >= spec.min_score and x2 > x1 and y2 > y1


def place_crop(crop_box: CropBox, spec: CropInput) -> Crop:
    """Return the crop around a box, aligned to the input's template if the box has as many keypoints."""
    rows, columns = input_size(spec)
    if spec.template and len(spec.template) == len(crop_box.points):
        aligned = similarity(spec.template, crop_box.points)
        if aligned is not None:
            return Crop(crop_box, aligned, columns, rows)
    if spec.aspect == "line":
        return _line_crop(crop_box, spec)
    return Crop(crop_box, _box_transform(crop_box.box, spec), columns, rows)


def _box_transform(box: tuple[float, float, float, float], spec: CropInput) -> Affine:
    """Return the transform from input pixels to the padded box x1 y1 x2 y2 in the picture."""
    rows, columns = input_size(spec)
    x1, y1, x2, y2 = box
    width, height = (x2 - x1) * spec.padding, (y2 - y1) * spec.padding
    if spec.aspect == "keep":
        width, height = max(width, height * columns / rows), max(height, width * rows / columns)
    across, down = (columns - 1, rows - 1) if spec.unbiased else (columns, rows)
    left, top = (x1 + x2) / 2 - width / 2, (y1 + y2) / 2 - height / 2
    return Affine(width / across, 0.0, left, 0.0, height / down, top)


def fitting_input(crop_box: CropBox, specs: Sequence[CropInput]) -> int:
    """Return the index of the narrowest input that a line fits into at its height, else of the widest input.

    Only lines have inputs of several widths: any other crop uses index 0.
    """
    if len(specs) == 1 or specs[0].aspect != "line":
        return 0
    rising = sorted(range(len(specs)), key=lambda at: input_size(specs[at])[1])
    return next((at for at in rising if line_columns(crop_box, specs[at]) <= input_size(specs[at])[1]), rising[-1])


def line_columns(crop_box: CropBox, spec: CropInput) -> float:
    """Return the width in columns of a line of text, resized to the input's height; infinity for zero height."""
    first, second, last = line_sides(crop_box)
    wide, high = distance(first, second), distance(first, last)
    return max(1, math.ceil(input_size(spec)[0] * wide / high)) if high > 0 else math.inf


def _line_crop(crop_box: CropBox, spec: CropInput) -> Crop:
    """Return the crop along a line of text, scaled to the input's height; the rest of the width is padding."""
    rows, columns = input_size(spec)
    wanted = line_columns(crop_box, spec)
    used = int(min(columns, wanted))
    first, second, last = line_sides(crop_box)
    if spec.split is not UNSET and wanted > columns:
        rows = max(1, math.floor(columns * distance(first, last) / distance(first, second)))
    (x0, y0), (xa, ya), (xd, yd) = first, second, last
    across, down = ((xa - x0) / used, (ya - y0) / used), ((xd - x0) / rows, (yd - y0) / rows)
    return Crop(crop_box, Affine(across[0], down[0], x0, across[1], down[1], y0), used, rows)


def crops_to_canvases(rgba: NDArray[np.uint8], spec: CropInput, crops: Sequence[Crop]) -> NDArray[np.float64]:
    """Cut crops out of a picture [h, w, 4] -> RGB [crops, rows, columns, 3] of 0..255."""
    rows, columns = input_size(spec)
    grid = np.mgrid[0:rows, 0:columns].astype(np.float64)  # y, x of each pixel of the input
    cut = [_sample(rgba, *crop.to_picture.apply(grid[1], grid[0]), float(spec.pad)) for crop in crops]
    for crop, canvas in zip(crops, cut, strict=True):
        canvas[:, crop.columns :] = spec.pad
        canvas[crop.rows :] = spec.pad
    return np.stack(cut) if crops else np.zeros((0, rows, columns, 3))


def _sample(rgba: NDArray[np.uint8], x: NDArray[Any], y: NDArray[Any], pad: float) -> NDArray[np.float64]:
    """Sample a picture bilinearly at coordinates x, y [rows, columns] -> [rows, columns, 3].

    Keep the order of the operations: the browser runtime must compute the same bits.
    """
    left, top = np.floor(x), np.floor(y)
    across, down = (x - left)[..., None], (y - top)[..., None]
    upper = _pixels(rgba, left, top, pad) * (1 - across) + _pixels(rgba, left + 1, top, pad) * across
    lower = _pixels(rgba, left, top + 1, pad) * (1 - across) + _pixels(rgba, left + 1, top + 1, pad) * across
    read: NDArray[np.float64] = upper * (1 - down) + lower * down
    return read


def _pixels(rgba: NDArray[np.uint8], x: NDArray[Any], y: NDArray[Any], pad: float) -> NDArray[np.float64]:
    """Return the colours, composited on white, at integer coordinates; `pad` outside of the picture."""
    height, width = rgba.shape[:2]
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    at = np.clip(y, 0, height - 1).astype(np.intp), np.clip(x, 0, width - 1).astype(np.intp)
    colors: NDArray[np.float64] = np.where(inside[..., None], composite_on_white(rgba[at]), pad)
    return colors
