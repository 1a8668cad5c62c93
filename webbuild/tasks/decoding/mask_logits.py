"""Masks over the picture from logits over the frame; see `MaskGenerationTask`."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import MaskGenerationTask
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.resample import FilterTaps, filter_taps, resample
from webbuild.tasks.decoding.depth_map import bilinear_taps
from webbuild.tasks.decoding.detection import Box


class ObjectMask(Struct, frozen=True):
    """An object: its mask over the picture [height, width], the IoU that the model predicts, and its box.

    The box of an empty mask is 0 0 0 0.
    """

    mask: NDArray[np.bool_]
    score: float
    box: Box


def resize_logits(task: MaskGenerationTask, logits: NDArray[Any], placement: ImagePlacement) -> NDArray[np.float64]:
    """Resize logits [h, w] over the frame to the picture [height, width]; NaN outside the model's input."""
    rows, columns = logits.shape
    height, width = task.frame
    taps = _taps_through_input if task.through_input else _direct_taps
    across = taps(placement.left, placement.width, placement.source_width, width, columns)
    down = taps(placement.top, placement.height, placement.source_height, height, rows)
    return resample(logits[..., None], across, down, "bilinear")[..., 0]


def object_mask(mask: NDArray[np.bool_], score: float) -> ObjectMask:
    """Return a mask with its score and its box."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not rows.size:
        return ObjectMask(mask, score, Box(0.0, 0.0, 0.0, 0.0))
    box = Box(float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1))
    return ObjectMask(mask, score, box)


def _direct_taps(start: int, drawn: int, source: int, size: int, cells: int) -> FilterTaps:
    first, second, fraction = bilinear_taps(start, drawn, source, size, cells)
    return FilterTaps(np.stack([first, second], axis=1), np.stack([1 - fraction, fraction], axis=1))


def _taps_through_input(start: int, drawn: int, source: int, size: int, cells: int) -> FilterTaps:
    """Return the taps of two resize steps: cells -> `size` pixels of the frame; its `drawn` pixels -> the picture."""
    pixels = filter_taps("bilinear", drawn, source, range(source))
    placement_taps = filter_taps("bilinear", cells, size, range(start, start + drawn))
    weights = pixels.weights[:, :, None] * placement_taps.weights[pixels.indices]  # [source, 2, 2]
    return FilterTaps(placement_taps.indices[pixels.indices].reshape(source, 4), weights.reshape(source, 4))
