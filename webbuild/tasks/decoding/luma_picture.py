"""A picture from a luma model, with the chroma of the source; see `ImageTask`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.tasks.image import ImageTask
from webbuild.preprocess.image import LUMA, composite_on_white
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.resample import enlarging_taps, weigh_pixels
from webbuild.tasks.decoding.depth_map import resample_map
from webbuild.tasks.decoding.output_picture import OPAQUE, OutputPicture, enlarged, picture_planes, to_unit_range

_ROWS_AT_ONCE = 64
"""Result rows per block: a whole picture in float64 takes much memory."""


def read_luma_picture(
    task: ImageTask, output: NDArray[Any], placement: ImagePlacement, source: NDArray[np.uint8]
) -> OutputPicture:
    """Resample luma to the pixels of the enlarged source, and combine it with the chroma of the source, RGBA."""
    values = resample_map(picture_planes(task, output)[0], enlarged(placement, task.scale))
    luma = 255 * to_unit_range(task, values)
    colors = composite_on_white(source)
    height, width = colors.shape[:2]
    columns = enlarging_taps(width, task.scale, range(width * task.scale))
    rgba = np.full((*luma.shape, 4), OPAQUE, np.uint8)
    for start in range(0, len(luma), _ROWS_AT_ONCE):
        part = slice(start, min(start + _ROWS_AT_ONCE, len(luma)))
        rows = enlarging_taps(height, task.scale, range(part.start, part.stop))
        rgba[part, :, :3] = _with_chroma(luma[part], weigh_pixels(colors, columns, rows))
    rgba[np.isnan(values)] = 0
    return OutputPicture(rgba)


def _with_chroma(luma: NDArray[np.float64], colors: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return RGB levels [h, w, 3] with luma [h, w] of 0..255, and the chroma of colours [h, w, 3]."""
    red, green, blue = LUMA
    old = red * colors[..., 0] + green * colors[..., 1] + blue * colors[..., 2]
    cb = np.clip((colors[..., 2] - old) / 1.772, -128, 127)
    cr = np.clip((colors[..., 0] - old) / 1.402, -128, 127)
    new = np.empty_like(colors)
    new[..., 0] = luma + 1.402 * cr
    new[..., 2] = luma + 1.772 * cb
    new[..., 1] = (luma - red * new[..., 0] - blue * new[..., 2]) / green
    levels: NDArray[np.uint8] = np.floor(np.clip(new, 0, 255) + 0.5).astype(np.uint8)
    return levels
