"""The whole verification: the reference, then each backend in each browser, combined into reports."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from webbuild.browser.driven_browser import BrowserName, DrivenBrowser
from webbuild.browser.open_browser import Endpoint
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Graph
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import fp16_backend_used, open_bundle
from webbuild.verify.bundle_references import compute_references
from webbuild.verify.changed_files import changed_files
from webbuild.verify.degenerate import degenerate_problems
from webbuild.verify.glue import glue_in
from webbuild.verify.judge_runs import judge_runs
from webbuild.verify.piecewise import ComparePieces
from webbuild.verify.report import BackendRun, Problem, VerifyEnvironment, VerifyReport
from webbuild.verify.run_all_backends import BrowserRun, run_all_backends
from webbuild.verify.run_backend import run_backend
from webbuild.verify.sample_reports import sample_reports
from webbuild.verify.stage_reference import first_variants
from webbuild.verify.tracks import require_boxes
from webbuild.verify.variant_reference import VariantReference

BACKENDS = ("webgpu", "wasm")
_ROWS = ("wasm", "webgpu")
"""The backends in the order of their rows."""


def verify_in_browsers(
    places: Sequence[Endpoint],
    directory: Path,
    backends: Sequence[str],
    inputs: Sequence[Path] = (),
    *,
    precision: str = "auto",
    port: int = 0,
    seconds: float = 300,
    track: bool = False,
    say: Callable[[str], None] = lambda _: None,
    compare_pieces: Callable[[BrowserName, Bundle, Graph], int] | None = None,
) -> list[VerifyReport | WebbuildError]:
    """Verify a bundle in several browsers; return a report for each, or an error if it could not be reached.

    Args:
        places: the browsers. An error in one of several is in its own report, and the others continue.
        directory: the bundle, written by `webbuild pack`.
        backends: the backends to verify; empty means all that a browser has.
        inputs: pictures (or .npz files for plain tensors), in addition to the bundle's samples.
        precision: the precision of the graphs; `auto` verifies every graph of the backends, each in its own page.
        port: the port of the server, 0 for a free port.
        seconds: the time limit of a load or a run.
        track: whether to also compare object ids in a video, made from the sample with the most detections.
        say: called with each step of progress.
        compare_pieces: compares a graph of the bundle piece by piece in the named local browser; returns the number of
            equal values, 0 if a node is wrong.

    Raises:
        WebbuildError: nothing can be verified: no bundle, no reference; `no-tracks`.
    """
    bundle = open_bundle(directory)
    if track:
        require_boxes(bundle)
    problems = tuple(changed_files(bundle.directory, bundle.manifest.files))
    requested = list(backends)
    backends = requested or [name for name in _ROWS if any(name in each.backends for each in places)]
    with TemporaryDirectory() as folder:
        run_glue = glue_in(places[0], seconds)
        references = compute_references(bundle, backends, precision, inputs, Path(folder), run_glue, say, track=track)
        by_graph = {name: each for each in references for name in each.names}
        done = _run_everywhere(places, directory, by_graph, requested, port=port, seconds=seconds, say=say)
        say("native: the noise floor, where something differs")
        judged = [
            each if isinstance(each, WebbuildError) else judge_runs(each, by_graph, _pieces(endpoint, compare_pieces))
            for endpoint, each in zip(places, done, strict=True)
        ]
        report = _report_without_runs(bundle, references, problems)
        return [each if isinstance(each, WebbuildError) else _with_runs(report, each) for each in judged]


def _run_everywhere(
    places: Sequence[Endpoint],
    directory: Path,
    references: Mapping[str, VariantReference],
    requested: Sequence[str],
    *,
    port: int,
    seconds: float,
    say: Callable[[str], None],
) -> list[BrowserRun | WebbuildError]:
    """Run the graphs named in `references` in each browser; with a single local browser, an error is raised."""
    with Server(directory, port=port) as server:

        def run(browser: DrivenBrowser, name: str) -> BackendRun:
            reference = references[name]
            results = reference.results
            return run_backend(browser, server, reference.bundle, name, results, seconds=seconds, progress=say)

        alone = len(places) == 1 and places[0].kind == "local"
        return [
            run_all_backends(endpoint, server, _in_reach(endpoint, references, requested), run, stops=alone)
            for endpoint in places
        ]


def _pieces(
    endpoint: Endpoint, compare_pieces: Callable[[BrowserName, Bundle, Graph], int] | None
) -> ComparePieces | None:
    """Return the piecewise comparison for this browser, None for a remote browser."""
    return partial(compare_pieces, endpoint.browser) if compare_pieces and endpoint.kind == "local" else None


def _report_without_runs(
    bundle: Bundle, references: Sequence[VariantReference], problems: Sequence[Problem]
) -> VerifyReport:
    """Return the part of the report that all browsers share."""
    first, shown = references[0], next((each for each in references if each.bundle.all_stages), references[0])
    task = shown.bundle.manifest.task
    stages = first_variants(references)
    degenerate = [
        problem
        for stage in stages
        for problem in degenerate_problems(
            stage.bundle.manifest.task,
            [
                answer.outputs
                for each in references
                if each.bundle.stage == stage.bundle.stage
                for answer in each.reference.answers
            ],
        )
    ]
    return VerifyReport(
        bundle=bundle.manifest.name,
        title=bundle.manifest.title,
        source=bundle.manifest.source.file,
        reference=first.runner.name,
        task=task,
        environment=_environment(bundle, first.runner.version),
        samples=sample_reports(bundle, task, shown.results, first.more),
        checks=tuple(check for each in references for check in each.checks),
        backends=(),
        noise={name: level for each in references for name, level in each.noise.items()},
        fp16_backend=fp16_backend_used(bundle),
        stages=tuple(each.bundle.stage for each in stages) if bundle.manifest.stages else (),
        problems=(*problems, *(problem for each in references for problem in each.problems), *degenerate),
    )


def _in_reach(endpoint: Endpoint, names: Iterable[str], requested: Sequence[str]) -> list[str]:
    """Return the graphs to run in a browser: all if backends are `requested`, else those of the backends it has."""
    return [name for name in names if requested or name.partition(" ")[0] in endpoint.backends]


def _with_runs(report: VerifyReport, done: BrowserRun) -> VerifyReport:
    where = msgspec.structs.replace(report.environment, browser=done.browser, browser_path=done.path)
    return msgspec.structs.replace(report, environment=where, backends=done.runs)


def _environment(bundle: Bundle, onnxruntime: str) -> VerifyEnvironment:
    engine = bundle.manifest.engine
    return VerifyEnvironment(
        webbuild=bundle.manifest.generator.version,
        browser="",
        browser_path="",
        engine=f"{engine.name} {engine.version}",
        onnxruntime=onnxruntime,
        platform=platform.platform(),
    )
