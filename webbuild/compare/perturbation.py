"""Perturbed inputs and weights: every number changes by a relative 1e-6, to measure a model's numerical noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

RELATIVE_CHANGE = 1e-6
"""Relative standard deviation of the random change; for float16 it is half of the last bit."""


def perturb(feeds: Mapping[str, NDArray[Any]], seed: int) -> dict[str, NDArray[Any]]:
    """Return a copy of the arrays with every floating point number changed slightly."""
    draw = np.random.default_rng(seed)
    return {
        name: np.asarray(array * (1 + _change(array.dtype) * draw.standard_normal(array.shape)), array.dtype)
        if array.dtype.kind == "f"
        else array
        for name, array in feeds.items()
    }


def _change(dtype: np.dtype[Any]) -> float:
    return max(RELATIVE_CHANGE, float(np.finfo(dtype).eps) / 2)
