"""The drawing of a search: how much was float16, and how much of the tolerance that took, as points in a square."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from webbuild.precision.report import SearchStep
from webbuild.reporting.charts import LogScale

_SCALE = LogScale(-4, 2)
"""Of parts of a tolerance."""


class PlotPoint(Struct, frozen=True):
    """A graph that was tried: its place as fractions of width and height, from the left and from the top."""

    number: int
    x: float
    y: float
    right: bool
    title: str


class GridLine(Struct, frozen=True):
    """A line across, with what it says."""

    y: float
    label: str


def plot_points(tried: Sequence[SearchStep]) -> list[PlotPoint]:
    """Return the points; a result without a match lies at the top."""
    return [
        PlotPoint(
            index + 1, each.fraction.mean, y_position(worst_tolerance_used(each)), not each.reason, _point_title(each)
        )
        for index, each in enumerate(tried)
    ]


def grid_lines() -> list[GridLine]:
    """Return a line for every power of ten; that of 1 is where the tolerance ends."""
    return [
        GridLine(y_position(10.0**power), "the tolerance" if power == 0 else f"{10.0**power:g}")
        for power in _SCALE.powers
    ]


def worst_tolerance_used(tried: SearchStep) -> float:
    """Return the largest part of a tolerance that was used, infinite where a result has no match."""
    return max((math.inf if part is None else part for part in tried.tolerance_used.values()), default=math.inf)


def y_position(part: float) -> float:
    """Return where a part of a tolerance lies, as a fraction from the top, in powers of ten."""
    return 1 - _SCALE.fraction(part)


def _point_title(each: SearchStep) -> str:
    used = worst_tolerance_used(each)
    amount = f"{used:.2g} of the tolerance" if math.isfinite(used) else "a result without a match"
    return f"{each.fraction.mean:.0%} float16: {each.reason or amount}"
