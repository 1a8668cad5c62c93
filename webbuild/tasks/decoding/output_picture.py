"""The picture that a model returns, resampled to the (upscaled) source size; see `ImageTask`."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.tasks.image import ImageTask
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.tasks.decoding.depth_map import resample_map

OPAQUE = 255


class OutputPicture(Struct, frozen=True):
    """RGBA levels [height, width, 4]; alpha is 0 outside the model's input, else 255."""

    rgba: NDArray[np.uint8]


def picture_planes(task: ImageTask, output: NDArray[Any]) -> NDArray[Any]:
    """Return an output as planes in RGB order: [1, C, h, w] or [1, h, w, C] -> [C, h, w]."""
    planes: NDArray[Any] = output[0].transpose(2, 0, 1) if task.layout == "nhwc" else output[0]
    return planes[::-1] if task.order == "bgr" else planes


def enlarged(placement: ImagePlacement, scale: int) -> ImagePlacement:
    """Return the placement of a source picture of `scale` times the size."""
    width, height = placement.source_width * scale, placement.source_height * scale
    return msgspec.structs.replace(placement, source_width=width, source_height=height)


def read_picture(task: ImageTask, output: NDArray[Any], placement: ImagePlacement) -> OutputPicture:
    """Resample an output to the pixels of the enlarged source."""
    large = enlarged(placement, task.scale)
    rgba = np.empty((large.source_height, large.source_width, 4), np.uint8)
    rgba[..., 3] = OPAQUE
    for channel, plane in enumerate(picture_planes(task, output)):
        values = resample_map(plane, large)
        rgba[..., channel] = _to_levels(task, values)
        rgba[np.isnan(values), 3] = 0
    rgba[rgba[..., 3] == 0] = 0
    return OutputPicture(rgba)


def keep_outside(picture: OutputPicture, hole: NDArray[np.bool_], source: NDArray[np.uint8]) -> OutputPicture:
    """Return the output picture inside the hole, and the source picture, RGBA, everywhere else."""
    return OutputPicture(np.where(hole[..., None], picture.rgba, source))


def _to_levels(task: ImageTask, values: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Map values to 0..255; NaN becomes 0."""
    levels: NDArray[np.uint8] = np.floor(255 * to_unit_range(task, values) + 0.5).astype(np.uint8)
    return levels


def to_unit_range(task: ImageTask, values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Map values to 0..1, black to white; NaN becomes 0."""
    share: NDArray[np.float64] = np.clip((values.astype(np.float64) - task.low) / (task.high - task.low), 0, 1)
    return np.nan_to_num(share)
