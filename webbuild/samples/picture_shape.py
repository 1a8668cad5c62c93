"""The shape of a picture: what an input of such a shape is taken for where nothing else tells."""

from __future__ import annotations

from typing import Literal

import msgspec

from webbuild.manifest.manifest import ImageInput, Letterbox, TensorInput
from webbuild.model.signature import TensorSpec
from webbuild.preprocess.image import input_size
from webbuild.tasks.ultralytics_export import fixed_image_input

MIN_SIDE = 16
"""Pixels of a side from which on channels are taken for a picture's."""
LAYOUTS: tuple[Literal["nchw", "nhwc"], ...] = ("nchw", "nhwc")


def picture_of_shape(spec: TensorInput) -> ImageInput | None:
    """Return an input as a picture that is stretched into 0..1, None where it has not the shape of one."""
    known = TensorSpec(spec.name, spec.dtype, tuple(spec.shape))
    found = [image for layout in LAYOUTS if (image := fixed_image_input(known, layout)) is not None]
    if not found or min(input_size(found[0])) < MIN_SIDE:
        return None
    return msgspec.structs.replace(found[0], letterbox=Letterbox(mode="stretch"))
