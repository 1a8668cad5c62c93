"""Picture inputs, recognized by their type and shape."""

from __future__ import annotations

from typing import Literal, cast

from webbuild.manifest.manifest import ImageInput, Letterbox
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.preprocess.image import input_size

_Layout = Literal["nchw", "nhwc", "hwc"]
_ROUNDED_ROWS, _ROUNDED_PART = 2, 0.1
"""How many rows a map may have more or fewer than the picture's proportions give, as its sides are rounded."""


def only_image_input(signature: ModelSignature, *layouts: _Layout) -> ImageInput | None:
    """Return the picture input of a model without other inputs, else None. See `fixed_image_input`."""
    return fixed_image_input(signature.inputs[0], *layouts) if len(signature.inputs) == 1 else None


def fixed_image_input(spec: TensorSpec, *layouts: _Layout, gray: bool = False) -> ImageInput | None:
    """Return a float, uint8 or int32 input with the static shape of one picture as a picture input, else None.

    Args:
        spec: the input.
        layouts: the layouts that it may have, the preferred one first; without any `nchw`, and `nhwc` for integers.
        gray: whether the picture may have one channel, besides the three of RGB.
    """
    shape = [size for size in spec.shape if isinstance(size, int)]
    if spec.dtype not in ("float32", "uint8", "int32") or len(shape) != len(spec.shape):
        return None
    for layout in layouts or (("nchw",) if spec.dtype == "float32" else ("nchw", "nhwc")):
        if len(shape) != len(layout) or ("n" in layout and shape[0] != 1):
            continue
        channels = shape[layout.index("c")]
        if channels == 3 or (channels == 1 and gray):
            return ImageInput(
                name=spec.name,
                dtype=cast("Literal['float32', 'uint8', 'int32']", spec.dtype),
                shape=shape,
                layout=layout,
                color="gray" if channels == 1 else "rgb",
                scale=1 / 255,
                mean=[0.0] * channels,
                std=[1.0] * channels,
                letterbox=Letterbox(),
            )
    return None


def may_be_map(output: TensorSpec, image: ImageInput) -> bool:
    """Whether an output [1, height, width] has the picture's proportions; True for other shapes.

    The rows of 20 detections, [1, 20, 5], are no map over the picture.
    """
    match output.shape:
        case (1, int(rows), int(columns)):
            height, width = input_size(image)
            return abs(rows - columns * height / width) <= max(_ROUNDED_ROWS, _ROUNDED_PART * rows)
    return True
