"""One backend in one fresh page: load, run every sample, judge, and note everything that was said."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

import msgspec

from webbuild.browser.adapter import no_adapter
from webbuild.browser.chromium import Chromium
from webbuild.browser.console import Console, Message
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.nodes import casts_of_inputs
from webbuild.verify.case import judge
from webbuild.verify.inputs import Given
from webbuild.verify.jsep import BUILD
from webbuild.verify.opened import Bundle
from webbuild.verify.page_calls import PageError
from webbuild.verify.page_runner import PageRunner
from webbuild.verify.placement import misplaced, summarise
from webbuild.verify.reference import Expected
from webbuild.verify.report import BackendRun, Case, Problem, Timings
from webbuild.verify.wire import Loaded

Work = Sequence[tuple[Given, Expected]]
Say = Callable[[str], None]

_LEAST_RUNS = 3
"""Runs behind the median; a bundle with fewer samples has its last one run again."""


def run_backend(
    chromium: Chromium,
    server: Server,
    bundle: Bundle,
    name: str,
    work: Work,
    *,
    jsep: bool = False,
    seconds: float,
    say: Say,
) -> BackendRun:
    """Verify the graph of a name. With `jsep`, that build stands in for the bundle's own on `server`.

    Where the bundle says that it must not run there, what is verified is WASM, which the runtime then takes. A graph in
    reduced precision is left out on an adapter that lacks what it needs.

    Raises:
        WebbuildError: `no-adapter`. All else that goes wrong is a problem in the report.
    """
    with chromium.page() as (page, console):
        graph = bundle.graph(name)
        backend = name if graph is None else graph.target
        asked = "auto" if bundle.withholds(backend) else backend
        runner = PageRunner(page, server, name, seconds=seconds)
        if asked == "webgpu":
            has = runner.adapter()
            if has is None:
                raise no_adapter()
            lacks = [] if graph is None else [feature for feature in graph.features if feature not in has]
            if lacks and graph is not None and graph.precision != "fp32":
                return left_out(name, f"this adapter has no {', '.join(lacks)}")
        loaded: Loaded | None = None
        cases: list[Case] = []
        times: list[float] = []
        problems: list[Problem] = []
        try:
            say(f"{name}: loading")
            loaded = runner.load(bundle.entry, asked, "auto" if graph is None else graph.precision)
            for given, expected in work:
                say(f"{name}: {given.title}")
                case, took = judge(bundle, runner, given, expected)
                cases.append(case)
                times += took
            while work and len(times) < _LEAST_RUNS:
                times.append(runner.timed(work[-1][0].feeds)[1])
            runner.dispose()
        except PageError as error:
            problems.append(failed(name, error))
        forced = [] if graph is None else [*graph.cpu_nodes, *casts_of_inputs(bundle.stored(graph))]
        told = [*problems, *said(name, console)]
        return _report(name, loaded, cases, times, told, jsep=jsep, forced=forced)


def left_out(name: str, why: str) -> BackendRun:
    """Return the run of a graph that the adapter cannot run."""
    return msgspec.structs.replace(_report(name, None, [], [], [], jsep=False, forced=[]), left_out=why)


def not_run(backend: str, error: WebbuildError) -> BackendRun:
    """Return the run of a backend that an error kept from running."""
    problem = Problem(code=error.code, where=backend, message=error.message, fix=error.fix)
    return _report(backend, None, [], [], [problem], jsep=False, forced=[])


def _report(
    backend: str,
    loaded: Loaded | None,
    cases: list[Case],
    times: list[float],
    problems: list[Problem],
    *,
    jsep: bool,
    forced: Sequence[str],
) -> BackendRun:
    if loaded is None:
        return BackendRun(
            backend=backend,
            reason="",
            engine_build="",
            threads=0,
            adapter="",
            placements=(),
            timings=None,
            cases=(),
            warnings=(),
            problems=tuple(problems),
        )
    info = loaded.info
    placements = summarise(loaded.backend, info.placement or (), jsep=jsep)
    return BackendRun(
        backend=backend,
        reason=loaded.reason,
        engine_build=BUILD if jsep else info.engine.build,
        threads=info.engine.threads,
        adapter=str(info.adapter) if info.adapter else "",
        placements=placements,
        timings=Timings(
            load=loaded.ms,
            session=info.timings.session,
            first_run=max([info.timings.warmup, *times[:1]]),
            steady_run=statistics.median(times) if times else None,
            runs=len(times),
        ),
        cases=tuple(cases),
        warnings=loaded.warnings,
        problems=(
            *misplaced(loaded.backend, placements, where=backend, jsep=jsep, forced=forced),
            *only_repeated(backend, cases),
            *problems,
        ),
    )


def only_repeated(backend: str, cases: list[Case]) -> list[Problem]:
    """A backend that hands every sample to its fallback agrees with itself: its own answers were not compared."""
    if not cases or not all(case.repeated for case in cases):
        return []
    return [
        Problem(
            code="only-repeated",
            where=backend,
            message="every sample was run again on the fallback graph: nothing is known of this backend's own answers",
            fix="give pictures with fewer objects: --input FILE...",
        )
    ]


def failed(backend: str, error: PageError) -> Problem:
    """Return what a page failed with, as a problem of its backend."""
    failure = error.failure
    return Problem(
        code=failure.code,
        where=backend,
        message=failure.message,
        fix=failure.fix or "open the bundle with `webbuild serve` and look at the browser's console",
    )


def said(backend: str, console: Console) -> list[Problem]:
    """Return what a page complained of, as problems of its backend."""
    return [_complaint(backend, message) for message in console.errors]


def _complaint(backend: str, message: Message) -> Problem:
    return Problem(
        code="gpu-error" if message.gpu else "console-error",
        where=backend,
        message=f"{message.text.strip()[:500]} ({message.where.rsplit('/', 1)[-1]})",
        fix="a page that works says nothing: `webbuild serve` the bundle and look at the browser's console",
    )
