"""HTML page of accumulated errors: the error against the depth, on a logarithmic scale."""

from __future__ import annotations

import math

from msgspec import Struct

from webbuild.bisect.report import BisectReport
from webbuild.reporting.charts import LogScale
from webbuild.reporting.jinja import template_environment

LEFT, TOP, WIDTH, HEIGHT = 64, 12, 720, 260
_LEAST = 1e-9
"""Smaller errors are drawn here: they are below the resolution of float32."""


class ErrorPoint(Struct, frozen=True):
    """A value of the graph, and its position in the plot. `error` is None if it is not finite."""

    x: float
    y: float
    node: int
    value: str
    error: float | None


class ErrorPlot(Struct, frozen=True):
    """Dots by depth, and the heights of the decades and of the tolerance."""

    dots: tuple[ErrorPoint, ...]
    decades: tuple[tuple[int, float], ...]
    tolerance: float
    last_node: int


def layout_plot(report: BisectReport) -> ErrorPlot:
    """Lay out the errors of a report; the scale covers them and the tolerance in whole decades."""
    errors = [max(depth.error, _LEAST) for depth in report.depth_errors if depth.error is not None]
    around = [math.log10(each) for each in (*errors, max(report.tolerance, _LEAST))]
    low = math.floor(min(around))
    scale = LogScale(low, max(math.ceil(max(around)), low + 1))

    def height(error: float | None) -> float:
        return round(TOP + HEIGHT * (1 - scale.fraction(math.inf if error is None else error)), 1)

    last = max(report.nodes - 1, 1)
    dots = (
        ErrorPoint(
            round(LEFT + WIDTH * depth.node / last, 1), height(depth.error), depth.node, depth.value, depth.error
        )
        for depth in report.depth_errors
    )
    decades = tuple((power, height(10.0**power)) for power in scale.powers)
    return ErrorPlot(tuple(dots), decades, height(report.tolerance), report.nodes - 1)


def render_error_plot(report: BisectReport) -> str:
    """Render the page. Names of the model are escaped."""
    box = {"left": LEFT, "top": TOP, "width": WIDTH, "height": HEIGHT}
    page = template_environment("webbuild.bisect").get_template("error_by_depth.html.j2")
    return page.render(report=report, plot=layout_plot(report), **box)
