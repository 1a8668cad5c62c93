"""The report as one HTML page: nothing is loaded, nothing runs, every string from outside is escaped."""

from __future__ import annotations

from webbuild.bench import words as own
from webbuild.bench.plot import Bar, Dots, Scale, arrival, bar, dots, medians, scale, slowest
from webbuild.bench.report import BenchReport, exit_code
from webbuild.errors import CLEAN
from webbuild.templates import environment
from webbuild.verify import words


def render(report: BenchReport) -> str:
    """Return the page."""
    templates = environment("webbuild.bench", "webbuild.verify")
    templates.filters.update(ms=words.milliseconds, name=words.name, mb=own.megabytes, where=own.where, row=own.row)
    return templates.get_template("bench.html.j2").render(
        report=report,
        whole=exit_code(report) == CLEAN,
        arrivals=_arrivals(report),
        frames=_frames(report),
        stages=_stages(report),
        tables=[(own.TIMES, own.times), (own.COSTS, own.costs)],
        software="swiftshader" in " ".join(each.adapter for each in report.backends).lower(),
    )


def _arrivals(report: BenchReport) -> tuple[Scale, list[Bar]]:
    visits = [
        (each.backend, label, visit)
        for each in report.backends
        for label, visit in (("first visit", each.first), ("second visit", each.second))
        if visit is not None
    ]
    axis = scale(slowest([visit.first_result for _, _, visit in visits]))
    return axis, [bar(backend, label, arrival(visit), axis.end) for backend, label, visit in visits]


def _frames(report: BenchReport) -> tuple[Scale, list[Dots]]:
    axis = scale(slowest([ms for each in report.backends if each.frames for ms in each.frames.runs]))
    return axis, [found for each in report.backends if (found := dots(each, axis.end)) is not None]


def _stages(report: BenchReport) -> tuple[Scale, list[Bar]]:
    told = [(each.backend, medians(each.frames)) for each in report.backends if each.frames and each.frames.stages]
    axis = scale(slowest([sum(stages.values()) for _, stages in told]))
    return axis, [bar(backend, "", stages, axis.end) for backend, stages in told]
