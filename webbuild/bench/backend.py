"""Benchmark of one backend of a bundle in one browser."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from webbuild.bench.memory_visit import memory_visit
from webbuild.bench.page_loads import PageLoads
from webbuild.bench.profiling_visit import profile_visit
from webbuild.bench.report import BackendBench, PeakMemory, Profile, RunTimes
from webbuild.bench.scenario import Scenario
from webbuild.browser.driven_browser import DrivenBrowser, DrivenPage, browser_title
from webbuild.browser.gpu_adapter import require_own_gpu
from webbuild.errors import WebbuildError
from webbuild.verify.page_rpc import PageError
from webbuild.verify.report import Problem, problem_of
from webbuild.verify.run_problems import console_problems, page_error_problem

T = TypeVar("T")


def bench_backend(browser: DrivenBrowser, scenario: Scenario, backend: str, where: str = "") -> BackendBench:
    """Measure one backend. An error becomes a problem in the report, and earlier measurements stay."""
    visits, problems = PageLoads(), list[Problem]()
    profile: Profile | None = None
    peak: PeakMemory | None = None
    label = f"{backend} at {where}" if where else backend
    try:
        _visit(browser, label, lambda page: visits.measure(page, scenario, backend), problems)
        require_own_gpu(_adapter(visits), browser.name)
        if visits.second is not None:
            profiled = partial(profile_visit, browser, scenario=scenario, backend=backend)
            profile = _visit(browser, label, profiled, problems)
        if profile is not None:
            peak = _visit(browser, label, lambda page: memory_visit(page, scenario, backend), problems)
    except WebbuildError as error:
        problems.append(problem_of(error, label))
    info = None if visits.load_timing is None else visits.load_timing.info
    used = "fp32" if info is None else info.precision.used
    return BackendBench(
        endpoint=where,
        browser=browser_title(browser),
        adapter=_adapter(visits),
        backend=backend if used == "fp32" else f"{backend} {used}",
        engine_build="" if info is None else info.engine.build,
        threads=0 if info is None else info.engine.threads,
        first_load=visits.first,
        second_load=visits.second,
        run_times=visits.frames,
        profile=profile,
        peak_memory=peak,
        problems=(*problems, *fallback_only_problems(label, visits.frames)),
    )


def _adapter(visits: PageLoads) -> str:
    info = None if visits.load_timing is None else visits.load_timing.info
    return "" if info is None or info.adapter is None else str(info.adapter)


def _visit(browser: DrivenBrowser, label: str, visit: Callable[[DrivenPage], T], problems: list[Problem]) -> T | None:
    """Run one visit in a new page and return its measurement; append its errors to `problems`."""
    with browser.page() as (page, console):
        try:
            return visit(page)
        except PageError as error:
            problems.append(page_error_problem(label, error))
            return None
        finally:
            problems += console_problems(label, console)


def unreachable_backend(where: str, backend: str, error: WebbuildError) -> BackendBench:
    """Return the report row of a browser that could not be reached."""
    return BackendBench(endpoint=where, backend=backend, problems=(problem_of(error, f"{backend} at {where}"),))


def fallback_only_problems(label: str, frames: RunTimes | None) -> list[Problem]:
    """Return a problem if every run used the fallback graph, so that the backend itself was not measured."""
    if frames is None or frames.fallbacks < len(frames.runs):
        return []
    message = "every run fell back to another backend: these are not its times"
    fix = "give pictures with fewer objects: --sample FILE..."
    return [Problem(code="only-fallback", where=label, message=message, fix=fix)]
