"""Charts of the reports, in fractions of their sides: scales, and errors counted by half decades."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from webbuild.compare.comparison import Comparison

MIN_EXPONENT, MAX_EXPONENT, BINS_PER_DECADE = -8, 2, 2
"""Powers of ten at the ends, and bins in each."""


class LinearScale(Struct, frozen=True):
    """From 0 to `end`, with round numbers to label: value and fraction."""

    end: float
    ticks: tuple[tuple[float, float], ...]


def linear_scale(largest: float) -> LinearScale:
    """Return a scale that ends at or after a value, with four to ten ticks."""
    if not largest > 0:
        return LinearScale(1.0, ((0.0, 0.0), (1.0, 1.0)))
    power: float = 10.0 ** math.floor(math.log10(largest))
    step = next(part * power for part in (0.1, 0.2, 0.5, 1.0, 2.0) if largest <= 8 * part * power)
    count = math.ceil(largest / step)
    return LinearScale(count * step, tuple((index * step, index / count) for index in range(count + 1)))


class LogScale(Struct, frozen=True):
    """From one power of ten to another."""

    low: int
    high: int

    @property
    def powers(self) -> range:
        """Every power of ten on it."""
        return range(self.low, self.high + 1)

    def fraction(self, value: float) -> float:
        """Return where a value lies, from the low end; what is beyond an end lies there."""
        power = math.log10(value) if 0 < value < math.inf else self.high if value > 0 else self.low
        return (min(max(power, self.low), self.high) - self.low) / (self.high - self.low)


class HistogramBar(Struct, frozen=True):
    """Some errors of one runner in one bin: where the bar begins and how high it is, as fractions."""

    runner: str
    bin: int
    bottom: float
    height: float
    count: int


class ErrorHistogram(Struct, frozen=True):
    """Stacked bars. Bin 0 holds what is exactly equal; `limit` is the bin edge of tolerance."""

    bins: int
    limit: float
    bars: tuple[HistogramBar, ...]
    most: int
    decades: tuple[tuple[float, int], ...]


def error_histogram(comparisons: Iterable[Comparison], runners: Sequence[str]) -> ErrorHistogram:
    """Count every error that has a tolerance; what could not be computed falls into the last bin."""
    bins = 1 + (MAX_EXPONENT - MIN_EXPONENT) * BINS_PER_DECADE
    counts = {runner: [0] * bins for runner in runners}
    for each in comparisons:
        if each.subject.runner in counts and each.tolerance > 0:
            counts[each.subject.runner][_bin_index(each, bins)] += 1
    most = max((sum(counts[r][i] for r in runners) for i in range(bins)), default=0)
    bars = []
    for i in range(bins):
        below = 0
        for runner in runners:
            if n := counts[runner][i]:
                bars.append(HistogramBar(runner, i, below / most, n / most, n))
                below += n
    decades = tuple(
        (float(1 + (power - MIN_EXPONENT) * BINS_PER_DECADE), power)
        for power in range(MIN_EXPONENT + 2, MAX_EXPONENT + 1, 2)
    )
    return ErrorHistogram(bins, float(1 - MIN_EXPONENT * BINS_PER_DECADE), tuple(bars), most, decades)


def _bin_index(each: Comparison, bins: int) -> int:
    if each.max_abs is None:
        return bins - 1
    if each.max_abs == 0:
        return 0
    position = (math.log10(each.max_abs / each.tolerance) - MIN_EXPONENT) * BINS_PER_DECADE
    return min(bins - 1, max(1, 1 + math.floor(position)))
