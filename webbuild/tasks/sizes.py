"""What goes into the inputs that want the size of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest import Input, SizeInput
from webbuild.tasks.geometry import Placement


def size_feeds(inputs: Sequence[Input], placement: Placement) -> dict[str, NDArray[Any]]:
    """Return a tensor for every input that wants a size, for a picture that lies in the model's input so."""
    return {spec.name: _sized(spec, placement) for spec in inputs if isinstance(spec, SizeInput)}


def _sized(spec: SizeInput, placement: Placement) -> NDArray[Any]:
    if spec.of == "picture":
        width, height = placement.source_width, placement.source_height
    else:
        width, height = placement.input_width, placement.input_height
    ordered = [width, height] if spec.order == "width-height" else [height, width]
    return np.array(ordered, spec.dtype).reshape(spec.shape)
