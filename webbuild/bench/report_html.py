"""The report as one HTML page: no external files, no scripts, and all external strings are escaped."""

from __future__ import annotations

from webbuild.bench import formatting as own
from webbuild.bench.plot import Bar, RunDots, bar, dots, load_stages
from webbuild.bench.report import BenchReport, exit_code
from webbuild.browser.gpu_adapter import is_software
from webbuild.errors import CLEAN
from webbuild.reporting.charts import LinearScale, linear_scale
from webbuild.reporting.jinja import template_environment
from webbuild.verify import formatting


def render(report: BenchReport) -> str:
    """Render the page."""
    templates = template_environment("webbuild.bench")
    templates.filters.update(
        ms=formatting.format_milliseconds,
        name=formatting.runner_name,
        mb=own.format_megabytes,
        where=own.describe_backend,
        column=own.column_title,
    )
    return templates.get_template("bench.html.j2").render(
        report=report,
        whole=exit_code(report) == CLEAN,
        arrivals=_load_bars(report),
        frames=_run_dots(report),
        stages=_stages(report),
        numbers=own.number_rows(report.backends),
        software=any(is_software(each.adapter) for each in report.backends),
    )


def _load_bars(report: BenchReport) -> tuple[LinearScale, list[Bar]]:
    visits = [
        (each.backend, label, visit)
        for each in report.backends
        for label, visit in (("first visit", each.first_load), ("second visit", each.second_load))
        if visit is not None
    ]
    axis = linear_scale(max((visit.first_result for _, _, visit in visits), default=0.0))
    return axis, [bar(backend, label, load_stages(visit), axis.end) for backend, label, visit in visits]


def _run_dots(report: BenchReport) -> tuple[LinearScale, list[RunDots]]:
    axis = linear_scale(
        max((ms for each in report.backends if each.run_times for ms in each.run_times.runs), default=0.0)
    )
    return axis, [found for each in report.backends if (found := dots(each, axis.end)) is not None]


def _stages(report: BenchReport) -> tuple[LinearScale, list[Bar]]:
    rows = [
        (each.backend, {name: each.run_times.stage(name) for name in each.run_times.stages})
        for each in report.backends
        if each.run_times and each.run_times.stages
    ]
    axis = linear_scale(max((sum(stages.values()) for _, stages in rows), default=0.0))
    return axis, [bar(backend, "", stages, axis.end) for backend, stages in rows]
