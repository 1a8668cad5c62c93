"""Nearest-rank percentiles: always a measured value, never interpolated."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that at least `percent` % of the values do not exceed.

    Raises:
        ValueError: no values, a NaN, or a percentage that is not above 0 and at most 100.
    """
    if not values or not 0 < percent <= 100 or any(math.isnan(value) for value in values):
        raise ValueError(f"no percentile {percent} of {len(values)} values")
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]
