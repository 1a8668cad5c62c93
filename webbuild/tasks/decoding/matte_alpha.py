"""Decode an alpha matte from a model's outputs, at input and at source resolution; see `MatteTask`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import MatteTask
from webbuild.preprocess.image import load_image
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.tasks.decoding.depth_map import resample_map
from webbuild.tasks.decoding.matte_cutout import cut_out


class Matte(Struct, frozen=True):
    """Alpha of each source pixel, 0 to 255 [height, width], and the cutout.

    The runtime returns its cutout as `pixels`, RGBA [height, width, 4]. The reference computes it on demand from the
    file `picture`, and from the foreground colours [height, width, 3] that some models return.
    """

    alpha: NDArray[np.uint8]
    pixels: NDArray[np.uint8] | None = None
    picture: Path | None = None
    foreground: NDArray[np.uint8] | None = None

    def cutout(self, alpha: NDArray[np.uint8] | None = None) -> NDArray[np.uint8] | None:
        """Return RGBA [height, width, 4], None if there is no picture.

        Where `alpha` differs from the reference's by at most 1 level, the reference uses it. Otherwise rounding could
        change a colour: at alpha 254 a pixel has the foreground's colour, at 255 the picture's.
        """
        if self.pixels is not None or self.picture is None:
            return self.pixels
        levels = self.alpha
        if alpha is not None and alpha.shape == levels.shape:
            levels = np.where(np.abs(alpha.astype(np.int16) - levels) <= 1, alpha, levels)
        return cut_out(load_image(self.picture), levels, self.foreground)


def alpha_cells(task: MatteTask, output: NDArray[Any]) -> NDArray[np.float32]:
    """Return alpha over the input, 0..1 [rows, columns]; NaN where the output is NaN.

    Keep the places where values are rounded to float32: the browser runtime must compute the same bits.
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
    """Return alpha at the pixels of the source, 0 to 255 [height, width]; 0 outside the model's input."""
    return _levels(resample_map(alpha_cells(task, output), placement))


def decode_foreground(task: MatteTask, output: NDArray[Any], placement: ImagePlacement) -> NDArray[np.uint8]:
    """Return the colours of the foreground at the pixels of the source, 0 to 255 [height, width, 3]."""
    planes = alpha_planes(task, output)
    return np.stack([_levels(np.clip(resample_map(plane, placement), 0, 1)) for plane in planes], axis=-1)


def _levels(share: NDArray[np.float32]) -> NDArray[np.uint8]:
    return np.floor(255 * np.nan_to_num(share.astype(np.float64)) + 0.5).astype(np.uint8)


def _ends(task: MatteTask, values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the output values of alpha 0 and alpha 1."""
    finite = values[np.isfinite(values)] if task.min_max else values[:0]
    if finite.size and finite.min() < finite.max():
        return float(finite.min()), float(finite.max())
    return task.low, task.high
