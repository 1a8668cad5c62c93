"""Pictures of a golden run as bytes: colour levels, from which the tensor is restored bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.inputs.picture import PictureInput
from webbuild.manifest.inputs.stack import StackInput


def to_uint8(tensor: NDArray[Any], spec: PictureInput | StackInput) -> NDArray[np.uint8]:
    """Return the nearest level, 0..255, of every element, in the tensor's shape."""
    mean, std = _by_element(tensor, spec)
    levels = np.rint((tensor.astype(np.float64) * std + mean) / spec.scale)
    return np.clip(levels, 0, 255).astype(np.uint8)


def from_uint8(levels: NDArray[np.uint8], spec: PictureInput | StackInput) -> NDArray[np.float32]:
    """Return the tensor: (level * scale - mean) / std in float64, rounded once, as the runtime does."""
    mean, std = _by_element(levels, spec)
    tensor: NDArray[np.float32] = ((levels.astype(np.float64) * spec.scale - mean) / std).astype(np.float32)
    return tensor


def _by_element(
    tensor: NDArray[Any], spec: PictureInput | StackInput
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    last = isinstance(spec, PictureInput) and spec.layout != "nchw"
    shape = (-1,) if last else (-1, 1, 1)
    mean, std = (np.array(values, np.float64).reshape(shape) for values in (spec.mean, spec.std))
    return np.broadcast_to(mean, tensor.shape), np.broadcast_to(std, tensor.shape)
