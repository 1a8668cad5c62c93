"""One backend of a bundle in one browser."""

from __future__ import annotations

from webbuild.bench.page_loads import PageLoads
from webbuild.bench.profiling_visit import profile_visit
from webbuild.bench.report import BackendBench, Profile, RunTimes
from webbuild.bench.scenario import Scenario
from webbuild.browser.chromium import BrowserHandle
from webbuild.errors import WebbuildError
from webbuild.verify.page_rpc import PageError
from webbuild.verify.report import Problem
from webbuild.verify.run_backend import console_problems, page_error_problem


def bench_backend(chromium: BrowserHandle, scenario: Scenario, backend: str, where: str = "") -> BackendBench:
    """Measure one backend. What goes wrong is a problem in the report, and what was measured before it stays."""
    visits, examined, problems = PageLoads(), None, list[Problem]()
    label = f"{backend} at {where}" if where else backend
    try:
        problems += _measure_page_loads(chromium, scenario, backend, label, visits)
        if visits.second is not None:
            examined, more = _measure_profile(chromium, scenario, backend, label)
            problems += more
    except WebbuildError as error:
        problems.append(Problem(code=error.code, where=label, message=error.message, fix=error.fix))
    info = None if visits.load_timing is None else visits.load_timing.info
    used = "fp32" if info is None else info.precision.used
    return BackendBench(
        endpoint=where,
        browser=f"Chromium {chromium.version}",
        adapter="" if info is None or info.adapter is None else str(info.adapter),
        backend=backend if used == "fp32" else f"{backend} {used}",
        engine_build="" if info is None else info.engine.build,
        threads=0 if info is None else info.engine.threads,
        first_load=visits.first,
        second_load=visits.second,
        run_times=visits.frames,
        profile=examined,
        problems=(*problems, *fallback_only_problems(label, visits.frames)),
    )


def _measure_page_loads(
    chromium: BrowserHandle, scenario: Scenario, backend: str, label: str, visits: PageLoads
) -> list[Problem]:
    with chromium.page() as (page, console):
        try:
            visits.measure(page, scenario, backend)
        except PageError as error:
            return [page_error_problem(label, error), *console_problems(label, console)]
        return console_problems(label, console)


def _measure_profile(
    chromium: BrowserHandle, scenario: Scenario, backend: str, label: str
) -> tuple[Profile | None, list[Problem]]:
    with chromium.page() as (page, console):
        try:
            return profile_visit(chromium.browser, page, scenario, backend), console_problems(label, console)
        except PageError as error:
            return None, [page_error_problem(label, error), *console_problems(label, console)]


def unreachable_backend(where: str, backend: str, error: WebbuildError) -> BackendBench:
    """Return the row of a browser that there was no way to."""
    return BackendBench(
        endpoint=where,
        browser="",
        adapter="",
        backend=backend,
        engine_build="",
        threads=0,
        first_load=None,
        second_load=None,
        run_times=None,
        profile=None,
        problems=(Problem(code=error.code, where=f"{backend} at {where}", message=error.message, fix=error.fix),),
    )


def fallback_only_problems(label: str, frames: RunTimes | None) -> list[Problem]:
    """A backend whose every run another one answered was not measured."""
    if frames is None or frames.fallbacks < len(frames.runs):
        return []
    message = "every run was answered by another backend: these are not its times"
    fix = "give pictures with fewer objects: --input FILE..."
    return [Problem(code="only-fallback", where=label, message=message, fix=fix)]
