"""Turn a whole picture into an image input, or into a crop input as one crop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import CropInput, ImageInput
from webbuild.preprocess.crop import crops_to_canvases, place_crop, whole_picture
from webbuild.preprocess.crop_box import Crop
from webbuild.preprocess.image import image_to_canvas, image_to_tensor, input_size, normalize
from webbuild.preprocess.letterbox import ImagePlacement


def picture_to_tensor(rgba: NDArray[np.uint8], spec: ImageInput | CropInput) -> tuple[NDArray[Any], ImagePlacement]:
    """Turn a picture [h, w, 4] into the input `spec` describes, and return its placement."""
    if isinstance(spec, ImageInput):
        return image_to_tensor(rgba, spec)
    return crops_to_tensor(rgba, spec, [place_crop(whole_picture(rgba), spec)])


def picture_to_canvas(rgba: NDArray[np.uint8], spec: ImageInput | CropInput) -> NDArray[np.float64]:
    """Place a picture [h, w, 4] in the input's size, RGB [height, width, 3] of 0..255."""
    if isinstance(spec, ImageInput):
        return image_to_canvas(rgba, spec)[0]
    canvas: NDArray[np.float64] = crops_to_canvases(rgba, spec, [place_crop(whole_picture(rgba), spec)])[0]
    return canvas


def crops_to_tensor(
    rgba: NDArray[np.uint8], spec: CropInput, crops: Sequence[Crop]
) -> tuple[NDArray[Any], ImagePlacement]:
    """Turn crops of a picture [h, w, 4] into [crops, channels, rows, columns], or channels-last for `nhwc`."""
    height, width = input_size(spec)
    tensors = [normalize(canvas, spec) for canvas in crops_to_canvases(rgba, spec, crops)]
    size = rgba.shape[1], rgba.shape[0]
    return np.concatenate(tensors), ImagePlacement(*size, 0, 0, width, height, width, height, tuple(crops))
