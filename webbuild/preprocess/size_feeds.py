"""Feeds for size inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import Input, SizeInput
from webbuild.preprocess.letterbox import ImagePlacement


def size_feeds(inputs: Sequence[Input], placement: ImagePlacement) -> dict[str, NDArray[Any]]:
    """Return the tensor of each size input (original height and width), for an image at `placement`."""
    return {spec.name: _size_tensor(spec, placement) for spec in inputs if isinstance(spec, SizeInput)}


def _size_tensor(spec: SizeInput, placement: ImagePlacement) -> NDArray[Any]:
    if spec.size_of == "picture":
        width, height = placement.source_width, placement.source_height
    else:
        width, height = placement.input_width, placement.input_height
    ordered = [width, height] if spec.order == "width-height" else [height, width]
    return np.array(ordered, spec.dtype).reshape(spec.shape)
