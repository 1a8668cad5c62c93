"""One backend of a bundle in one browser."""

from __future__ import annotations

from webbuild.bench.course import Course
from webbuild.bench.examined import examine
from webbuild.bench.report import BackendBench, Examined, Frames
from webbuild.bench.visits import Visits
from webbuild.browser.chromium import Chromium
from webbuild.errors import WebbuildError
from webbuild.verify.backend import failed, said
from webbuild.verify.page_calls import PageError
from webbuild.verify.report import Problem


def bench_backend(chromium: Chromium, course: Course, backend: str, where: str = "") -> BackendBench:
    """Measure one backend. What goes wrong is a problem in the report, and what was measured before it stays."""
    visits, examined, problems = Visits(), None, list[Problem]()
    told = f"{backend} at {where}" if where else backend
    try:
        problems += _visited(chromium, course, backend, told, visits)
        if visits.second is not None:
            examined, more = _examined(chromium, course, backend, told)
            problems += more
    except WebbuildError as error:
        problems.append(Problem(code=error.code, where=told, message=error.message, fix=error.fix))
    info = None if visits.arrived is None else visits.arrived.info
    used = "fp32" if info is None else info.precision.used
    return BackendBench(
        where=where,
        browser=f"Chromium {chromium.version}",
        adapter="" if info is None or info.adapter is None else str(info.adapter),
        backend=backend if used == "fp32" else f"{backend} {used}",
        engine_build="" if info is None else info.engine.build,
        threads=0 if info is None else info.engine.threads,
        first=visits.first,
        second=visits.second,
        frames=visits.frames,
        examined=examined,
        problems=(*problems, *only_repeated(told, visits.frames)),
    )


def _visited(chromium: Chromium, course: Course, backend: str, told: str, visits: Visits) -> list[Problem]:
    with chromium.page() as (page, console):
        try:
            visits.go(page, course, backend)
        except PageError as error:
            return [failed(told, error), *said(told, console)]
        return said(told, console)


def _examined(chromium: Chromium, course: Course, backend: str, told: str) -> tuple[Examined | None, list[Problem]]:
    with chromium.page() as (page, console):
        try:
            return examine(chromium.browser, page, course, backend), said(told, console)
        except PageError as error:
            return None, [failed(told, error), *said(told, console)]


def unreached(where: str, backend: str, error: WebbuildError) -> BackendBench:
    """Return the row of a browser that there was no way to."""
    return BackendBench(
        where=where,
        browser="",
        adapter="",
        backend=backend,
        engine_build="",
        threads=0,
        first=None,
        second=None,
        frames=None,
        examined=None,
        problems=(Problem(code=error.code, where=f"{backend} at {where}", message=error.message, fix=error.fix),),
    )


def only_repeated(told: str, frames: Frames | None) -> list[Problem]:
    """A backend whose every run another one answered was not measured."""
    if frames is None or frames.repeated < len(frames.runs):
        return []
    message = "every run was answered by another backend: these are not its times"
    fix = "give pictures with fewer objects: --input FILE..."
    return [Problem(code="only-repeated", where=told, message=message, fix=fix)]
