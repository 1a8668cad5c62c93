"""Perturbed inputs and weights: every number changed by about 1e-6 of itself, to measure a model's numerical noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

RELATIVE_CHANGE = 1e-6
"""Part of itself by which every number is changed, at random. One of float16 is changed by half of its last bit."""


def perturb(feeds: Mapping[str, NDArray[Any]], seed: int) -> dict[str, NDArray[Any]]:
    """Return arrays of the same types and shapes in which every floating point number is changed a little."""
    draw = np.random.default_rng(seed)
    return {
        name: np.asarray(array * (1 + _change(array.dtype) * draw.standard_normal(array.shape)), array.dtype)
        if array.dtype.kind == "f"
        else array
        for name, array in feeds.items()
    }


def _change(dtype: np.dtype[Any]) -> float:
    return max(RELATIVE_CHANGE, float(np.finfo(dtype).eps) / 2)
