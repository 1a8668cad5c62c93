"""Percentiles by the nearest rank: a number that was measured, never one between two."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the least of the values that at least `percent` of a hundred of them do not exceed.

    Raises:
        ValueError: no values, one that is no number, or a percentage that is not above 0 and at most 100.
    """
    if not values or not 0 < percent <= 100 or any(math.isnan(value) for value in values):
        raise ValueError(f"no percentile {percent} of {len(values)} values")
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]
