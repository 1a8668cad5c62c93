"""Plot of a precision search: for each graph the fraction in float16 and the fraction of the tolerance it used."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from webbuild.precision.report import SearchStep
from webbuild.reporting.charts import LogScale

_SCALE = LogScale(-4, 2)
"""Scale of fractions of a tolerance, in powers of ten."""


class PlotPoint(Struct, frozen=True):
    """A graph that was tried: its position as fractions of width and height, from the left and the top."""

    number: int
    x: float
    y: float
    right: bool
    title: str


class GridLine(Struct, frozen=True):
    """A horizontal line with its label."""

    y: float
    label: str


def plot_points(tried: Sequence[SearchStep]) -> list[PlotPoint]:
    """Return the points; a result without a match is at the top."""
    return [
        PlotPoint(
            index + 1, each.fraction.mean, y_position(_worst_tolerance_used(each)), not each.reason, _point_title(each)
        )
        for index, each in enumerate(tried)
    ]


def grid_lines() -> list[GridLine]:
    """Return a line for every power of ten; the line of 1 is the tolerance."""
    return [
        GridLine(y_position(10.0**power), "the tolerance" if power == 0 else f"{10.0**power:g}")
        for power in _SCALE.powers
    ]


def _worst_tolerance_used(tried: SearchStep) -> float:
    """Return the largest fraction of a tolerance used by an output, infinite if a result has no match."""
    return max((math.inf if part is None else part for part in tried.tolerance_used.values()), default=math.inf)


def y_position(part: float) -> float:
    """Return the vertical position of a fraction of the tolerance, as a fraction from the top."""
    return 1 - _SCALE.fraction(part)


def _point_title(each: SearchStep) -> str:
    used = _worst_tolerance_used(each)
    amount = f"{used:.2g} of the tolerance" if math.isfinite(used) else "a result without a match"
    return f"{each.fraction.mean:.0%} float16: {each.reason or amount}"
