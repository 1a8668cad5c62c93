"""Charts in reports: axis scales and error histograms, with positions as fractions of the chart's sides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from webbuild.compare.comparison import Comparison

MIN_EXPONENT, MAX_EXPONENT, BINS_PER_DECADE = -8, 2, 2
"""Powers of ten at both ends of the histogram, and bins per decade."""


class LinearScale(Struct, frozen=True):
    """A linear axis from 0 to `end`, with ticks at round numbers: (value, fraction)."""

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
    """A logarithmic axis from one power of ten to another."""

    low: int
    high: int

    @property
    def powers(self) -> range:
        """The exponents of the powers of ten on the axis."""
        return range(self.low, self.high + 1)

    def fraction(self, value: float) -> float:
        """Return the position of a value, clamped to 0..1."""
        power = math.log10(value) if 0 < value < math.inf else self.high if value > 0 else self.low
        return (min(max(power, self.low), self.high) - self.low) / (self.high - self.low)


class HistogramBar(Struct, frozen=True):
    """The errors of one runner in one bin: start and height of the bar, as fractions."""

    runner: str
    bin: int
    bottom: float
    height: float
    count: int


class ErrorHistogram(Struct, frozen=True):
    """Stacked bars. Bin 0 counts exactly equal values; `limit` is the bin edge of the tolerance."""

    bins: int
    limit: float
    bars: tuple[HistogramBar, ...]
    most: int
    decades: tuple[tuple[float, int], ...]


def error_histogram(comparisons: Iterable[Comparison], runners: Sequence[str]) -> ErrorHistogram:
    """Count every error that has a tolerance; errors that could not be computed are in the last bin."""
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
