"""Pixels normalized with ImageNet's mean and standard deviation, the input of three networks."""

from __future__ import annotations

import numpy as np

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


def inputs(images: np.ndarray) -> np.ndarray:
    """RGB pictures [..., h, w, 3], uint8 -> [..., 3, h, w], float32."""
    return np.ascontiguousarray(np.moveaxis((images.astype(np.float32) / 255 - MEAN) / DEVIATION, -1, -3))
