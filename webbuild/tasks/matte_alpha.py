"""Alpha from the outputs of a model, over its input and over the source picture; see `MatteTask`."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import MatteTask
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.tasks.depth_map import resample_map


class Matte(Struct, frozen=True):
    """Alpha of each pixel of the source picture, 0 to 255 [height, width]."""

    alpha: NDArray[np.uint8]


def alpha_cells(task: MatteTask, output: NDArray[Any]) -> NDArray[np.float32]:
    """Return alpha over the input, 0..1 [rows, columns]: NaN where the output is no number.

    Where numbers are rounded to float32 is part of the definition: the runtime computes the same bits.
    """
    planes = alpha_planes(task, output).astype(np.float64)
    values: NDArray[np.float64] = planes[task.channel]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if task.activation == "sigmoid":
            values = 1 / (1 + np.exp(-values))
        elif task.activation == "softmax":
            values = 1 / np.exp(planes - values).sum(axis=0)
        values = values.astype(np.float32).astype(np.float64)
        low, high = _ends(task, values)
        return np.clip((values - low) / (high - low), 0, 1).astype(np.float32)


def alpha_planes(task: MatteTask, output: NDArray[Any]) -> NDArray[Any]:
    """Return the channels of the output, [channels, rows, columns]."""
    if output.ndim == 3:
        return output
    return np.moveaxis(output[0], -1, 0) if task.layout == "nhwc" else output[0]


def decode_alpha(task: MatteTask, output: NDArray[Any], placement: ImagePlacement) -> NDArray[np.uint8]:
    """Return alpha at the pixels of the source, 0 to 255 [height, width]; 0 where the model saw nothing."""
    share = resample_map(alpha_cells(task, output), placement)
    return np.floor(255 * np.nan_to_num(share.astype(np.float64)) + 0.5).astype(np.uint8)


def _ends(task: MatteTask, values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the values that are transparent and opaque."""
    finite = values[np.isfinite(values)] if task.min_max else values[:0]
    if finite.size and finite.min() < finite.max():
        return float(finite.min()), float(finite.max())
    return task.low, task.high
