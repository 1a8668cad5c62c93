"""Errors as fractions of their tolerance, counted by half decades."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from webbuild.verify.compare import Comparison

LOWEST, HIGHEST, STEPS = -8, 2, 2
"""Powers of ten at the ends, and bins in each."""


class Bar(Struct, frozen=True):
    """Some errors of one runner in one bin: where the bar begins and how high it is, as fractions."""

    runner: str
    bin: int
    bottom: float
    height: float
    count: int


class Histogram(Struct, frozen=True):
    """Stacked bars. Bin 0 holds what is exactly equal; `limit` is the bin edge of tolerance."""

    bins: int
    limit: float
    bars: tuple[Bar, ...]
    most: int
    decades: tuple[tuple[float, int], ...]


def histogram(comparisons: Iterable[Comparison], runners: Sequence[str]) -> Histogram:
    """Count every error that has a tolerance; what could not be computed falls into the last bin."""
    bins = 1 + (HIGHEST - LOWEST) * STEPS
    counts = {runner: [0] * bins for runner in runners}
    for each in comparisons:
        if each.subject.runner in counts and each.tolerance > 0:
            counts[each.subject.runner][_bin(each, bins)] += 1
    most = max((sum(counts[r][i] for r in runners) for i in range(bins)), default=0)
    bars = []
    for i in range(bins):
        below = 0
        for runner in runners:
            if n := counts[runner][i]:
                bars.append(Bar(runner, i, below / most, n / most, n))
                below += n
    decades = tuple((float(1 + (power - LOWEST) * STEPS), power) for power in range(LOWEST + 2, HIGHEST + 1, 2))
    return Histogram(bins, float(1 - LOWEST * STEPS), tuple(bars), most, decades)


def _bin(each: Comparison, bins: int) -> int:
    if each.max_abs is None:
        return bins - 1
    if each.max_abs == 0:
        return 0
    position = (math.log10(each.max_abs / each.tolerance) - LOWEST) * STEPS
    return min(bins - 1, max(1, 1 + math.floor(position)))
