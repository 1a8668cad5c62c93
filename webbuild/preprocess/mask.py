"""Inpainting masks: the hole in a picture that the model fills in, as its mask input; see `MaskInput`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.inputs.input import Input
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.inputs.picture import ImageInput, MaskChannel
from webbuild.preprocess.letterbox import ImagePlacement

Hole = NDArray[np.bool_]


def find_mask(inputs: Sequence[Input]) -> MaskInput | MaskChannel | None:
    """Return the mask input of a model, or the mask channel of its picture input; None if it has neither."""
    own = next((spec for spec in inputs if isinstance(spec, MaskInput)), None)
    return own or next((spec.mask for spec in inputs if isinstance(spec, ImageInput) and spec.mask), None)


def sample_box(width: int, height: int) -> tuple[int, int, int, int]:
    """Return left, top, width and height of the hole that samples use: the middle of the picture."""
    left, top = width // 3, height // 3
    return left, top, max(1, width - 2 * left), max(1, height - 2 * top)


def sample_hole(width: int, height: int) -> Hole:
    """Return the hole that samples use, [height, width]."""
    left, top, wide, high = sample_box(width, height)
    hole = np.zeros((height, width), bool)
    hole[top : top + high, left : left + wide] = True
    return hole


def resize_hole(hole: Hole, placement: ImagePlacement) -> Hole:
    """Resize a hole [height, width] to the input [input height, input width]: a cell is hole if any pixel of it is."""
    rows = _covers_hole(hole, placement.top, placement.height, placement.input_height)
    return _covers_hole(rows.T, placement.left, placement.width, placement.input_width).T


def _covers_hole(hole: Hole, start: int, drawn: int, size: int) -> Hole:
    """Resize a hole along axis 0 to `drawn` of `size` cells, from `start` on; a cell is hole if any source row is."""
    position = np.arange(size) - start
    inside = (position >= 0) & (position < drawn)
    source = len(hole)
    first = np.clip(position * source // drawn, 0, source)
    last = np.clip(-(-(position + 1) * source // drawn), 0, source)
    counts = np.concatenate([np.zeros((1, hole.shape[1]), np.intp), np.cumsum(hole, axis=0)])
    covered: Hole = (counts[last] > counts[first]) & inside[:, None]
    return covered


def mask_tensor(spec: MaskInput, cells: Hole) -> NDArray[Any]:
    """Return the mask tensor of a hole [input height, input width], in the shape and type of `spec`."""
    return np.where(cells, spec.hole, spec.known).astype(spec.dtype).reshape(spec.shape)


def with_zeroed_hole(tensor: NDArray[Any], image: ImageInput, cells: Hole) -> NDArray[Any]:
    """Return a picture's tensor with zeros in the hole."""
    known = ~cells if image.layout == "nchw" else ~cells[..., None]
    return (tensor * known).astype(tensor.dtype)


def with_mask_channel(tensor: NDArray[Any], image: ImageInput, mask: MaskChannel, cells: Hole) -> NDArray[Any]:
    """Return a picture's tensor with the mask as its fourth channel."""
    masked = tensor.copy()
    masked[(0, 3) if image.layout == "nchw" else (0, ..., 3)] = np.where(cells, mask.hole, mask.known)
    return masked


def with_hole(
    feeds: dict[str, NDArray[Any]], inputs: Sequence[Input], placement: ImagePlacement
) -> dict[str, NDArray[Any]]:
    """Return the feeds of a picture with the samples' hole in it; unchanged for a model without a mask."""
    mask, image = find_mask(inputs), next((spec for spec in inputs if isinstance(spec, ImageInput)), None)
    if mask is None or image is None:
        return feeds
    cells = resize_hole(sample_hole(placement.source_width, placement.source_height), placement)
    return with_resized_hole(feeds, image, mask, cells)


def with_resized_hole(
    feeds: Mapping[str, NDArray[Any]], image: ImageInput, mask: MaskInput | MaskChannel, cells: Hole
) -> dict[str, NDArray[Any]]:
    """Return the feeds of a picture with the hole `cells`, in input pixels."""
    picture = with_zeroed_hole(feeds[image.name], image, cells) if mask.empties_picture else feeds[image.name]
    if isinstance(mask, MaskChannel):
        return {**feeds, image.name: with_mask_channel(picture, image, mask, cells)}
    return {**feeds, image.name: picture, mask.name: mask_tensor(mask, cells)}
