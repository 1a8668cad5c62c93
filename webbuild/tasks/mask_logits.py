"""Masks over the picture from logits over the frame; see `MaskGenerationTask`."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import MaskGenerationTask
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.tasks.depth_map import bilinear_taps
from webbuild.tasks.detection import Box

_ROWS_AT_ONCE = 64
"""Rows of the picture that are read at once: enough that it is quick, few enough that it takes little memory."""


class Taps(Struct, frozen=True):
    """For each of n pixels along a side: the k cells that it is a weighted sum of, and their weights, both [n, k]."""

    at: NDArray[np.intp]
    weights: NDArray[np.float64]


class ObjectMask(Struct, frozen=True):
    """An object: the pixels of the picture that it covers [height, width], the IoU that the model predicts, its box.

    The box of an empty mask is 0 0 0 0.
    """

    mask: NDArray[np.bool_]
    score: float
    box: Box


def resize_logits(task: MaskGenerationTask, logits: NDArray[Any], placement: ImagePlacement) -> NDArray[np.float64]:
    """Resize logits [h, w] over the frame to the picture [height, width]; NaN where the model saw nothing.

    The order of the operations is part of the definition: the runtime computes the same bits.
    """
    grid = logits.astype(np.float64)
    columns, rows = mask_taps(task, placement, grid.shape[1], grid.shape[0])
    across = _weighted_sum(grid[:, columns.at], columns.weights)  # [h, width]
    result = np.empty((placement.source_height, placement.source_width))
    for start in range(0, len(result), _ROWS_AT_ONCE):
        some = slice(start, start + _ROWS_AT_ONCE)
        result[some] = _weighted_sum(np.moveaxis(across[rows.at[some]], 1, -1), rows.weights[some, None])
    return result


def mask_taps(task: MaskGenerationTask, placement: ImagePlacement, columns: int, rows: int) -> tuple[Taps, Taps]:
    """Return the taps of the picture's columns and rows in a grid of `columns` x `rows` cells over the frame."""
    height, width = task.frame
    taps = _taps_through_input if task.through_input else _direct_taps
    return (
        taps(placement.left, placement.width, placement.source_width, width, columns),
        taps(placement.top, placement.height, placement.source_height, height, rows),
    )


def object_mask(mask: NDArray[np.bool_], score: float) -> ObjectMask:
    """Return a mask with its score and its box."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not rows.size:
        return ObjectMask(mask, score, Box(0.0, 0.0, 0.0, 0.0))
    box = Box(float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1))
    return ObjectMask(mask, score, box)


def _weighted_sum(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum the last axis, from its first element on."""
    total = values[..., 0] * weights[..., 0]
    for tap in range(1, weights.shape[-1]):
        total = total + values[..., tap] * weights[..., tap]
    return total


def _direct_taps(start: int, drawn: int, source: int, size: int, cells: int) -> Taps:
    first, second, fraction = bilinear_taps(start, drawn, source, size, cells)
    return Taps(np.stack([first, second], axis=1), np.stack([1 - fraction, fraction], axis=1))


def _taps_through_input(start: int, drawn: int, source: int, size: int, cells: int) -> Taps:
    """Taps of two resizings: cells to the `size` pixels of the frame, the `drawn` of them to the picture."""
    first, second, fraction = _clamped_taps(np.arange(source), source, drawn)
    at, weights = [], []
    for pixel, share in ((first, 1 - fraction), (second, fraction)):
        low, high, part = _clamped_taps(start + pixel, size, cells)
        at += [low, high]
        weights += [share * (1 - part), share * part]
    return Taps(np.stack(at, axis=1), np.stack(weights, axis=1))


def _clamped_taps(
    pixels: NDArray[np.intp], size: int, cells: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Return the two of `cells` that these of `size` pixels lie between, and the second's weight."""
    position = np.clip((pixels + 0.5) * cells / size - 0.5, 0, cells - 1)
    low = np.floor(position).astype(np.intp)
    return low, np.minimum(low + 1, cells - 1), position - low
