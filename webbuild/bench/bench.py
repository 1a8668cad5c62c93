"""The whole benchmark: each backend in each browser, combined into one report."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from webbuild.bench.backend import bench_backend, unreachable_backend
from webbuild.bench.page_driver import SentFiles
from webbuild.bench.report import BackendBench, BenchReport, Environment
from webbuild.bench.scenario import Scenario
from webbuild.browser.open_browser import Endpoint, open_browser
from webbuild.browser.server import Server
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.states import state_inputs
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.inputs import VerifyInput, collect_inputs
from webbuild.verify.verify import BACKENDS

EAGER_MEMORY_FLAG = "--enable-blink-features=ForceEagerMeasureMemory"
"""Chromium then measures JavaScript memory at once, not at the next garbage collection."""


def bench(
    directory: Path,
    backends: Sequence[str] = (),
    inputs: Sequence[Path] = (),
    *,
    precision: str = "auto",
    at: Sequence[Endpoint] = (Endpoint(),),
    port: int = 0,
    runs: int = 30,
    seconds: float = 300,
    say: Callable[[str], None] = lambda _: None,
) -> BenchReport:
    """Measure a bundle.

    Args:
        directory: the bundle, written by `webbuild pack`.
        backends: the backends to measure; empty means all that the bundle runs on and a browser has.
        inputs: pictures (or .npz files for plain tensors), in addition to the bundle's samples.
        precision: the precision of the graphs; `auto` measures what a visitor gets.
        at: the browsers. If one of several cannot be reached or crashes, its rows have a problem.
        port: the port of the server, 0 for a free port.
        runs: the number of runs for the percentiles.
        seconds: the time limit of a load or a run.
        say: called with each step of progress.

    Raises:
        WebbuildError: nothing can be measured: no bundle, no browser, no such backend.
    """
    bundle = open_bundle(directory)
    backends_to_measure = select_backends(bundle, backends, precision)
    samples, sent = [_without_states(bundle, each) for each in collect_inputs(bundle, inputs)], SentFiles()
    with Server(directory, port=port, on_request=sent.record) as server:
        scenario = Scenario(server, sent, bundle, samples, runs, seconds, say, precision)
        rows: list[BackendBench] = []
        for endpoint in at:
            rows += _in_browser(
                endpoint, scenario, _in_reach(endpoint, backends_to_measure, backends), alone=len(at) == 1
            )
    return BenchReport(
        bundle=bundle.manifest.name,
        title=bundle.manifest.title,
        environment=_environment(bundle),
        samples=tuple(verify_input.title for verify_input in samples),
        backends=tuple(rows),
    )


def _without_states(bundle: Bundle, verify_input: VerifyInput) -> VerifyInput:
    """Return an input without its states: the runtime carries them from run to run."""
    states = {spec.name for spec in state_inputs(bundle.manifest.inputs)}
    feeds = {name: array for name, array in verify_input.feeds.items() if name not in states}
    return msgspec.structs.replace(verify_input, feeds=feeds)


def _in_reach(endpoint: Endpoint, selected: list[str], requested: Sequence[str]) -> list[str]:
    """Return the backends to measure in a browser: all if the user requested them, else those that it has."""
    return selected if requested else [name for name in selected if name in endpoint.backends] or selected


def _in_browser(endpoint: Endpoint, scenario: Scenario, backends: Sequence[str], *, alone: bool) -> list[BackendBench]:
    where = endpoint.url if alone else endpoint.title
    try:
        with open_browser(endpoint, scenario.server, [EAGER_MEMORY_FLAG]) as browser:
            return [bench_backend(browser, scenario, backend, where) for backend in backends]
    except WebbuildError as error:
        if alone:
            raise
        return [unreachable_backend(where, backend, error) for backend in backends]


def select_backends(bundle: Bundle, backends: Sequence[str], precision: str = "auto") -> list[str]:
    """Return the backends to measure that have a graph of this precision, WebGPU first.

    Raises:
        WebbuildError: `disabled-target` if the bundle does not run on a requested backend; `no-graph` if no backend has
            a graph of this precision.
    """
    fit = [name for name in BACKENDS if bundle.graph(name) and not bundle.is_disabled(name)]
    unfit = [name for name in backends if name not in fit]
    if unfit:
        raise WebbuildError(
            "disabled-target",
            f"{bundle.directory}: does not run on {' and '.join(unfit)}, and its report.html says why",
            f"leave --backend out to measure {' and '.join(fit)}",
            exit_code=USAGE,
        )
    named = [name for name in fit if not backends or name in backends]
    graph_names = bundle.graph_names(named, precision)
    return [name for name in named if any(each.partition(" ")[0] == name for each in graph_names)]


def _environment(bundle: Bundle) -> Environment:
    """Return the environment of a report: bundle, engine, machine."""
    engine = bundle.manifest.engine
    return Environment(
        webbuild=bundle.manifest.generator.version,
        engine=f"{engine.name} {engine.version}",
        platform=platform.platform(),
    )
