"""One backend in a new page: load, run and compare every sample, and collect all warnings and problems."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

from webbuild.browser.driven_browser import DrivenBrowser, DrivenPage
from webbuild.browser.gpu_adapter import no_adapter_error, require_own_gpu
from webbuild.browser.server import Server
from webbuild.equivalence.answer import Answer
from webbuild.manifest.manifest import Graph
from webbuild.model.traversal import casts_of_inputs
from webbuild.verify.batch_page_runner import BatchPageRunner
from webbuild.verify.bundle import Bundle
from webbuild.verify.graph_choice import LoadedGraphs
from webbuild.verify.inputs import VerifyInput, picture_input
from webbuild.verify.node_placement import misplaced_problems, summarize_placement
from webbuild.verify.page_messages import LoadResult
from webbuild.verify.page_rpc import PageError
from webbuild.verify.page_runner import PageRunner
from webbuild.verify.pipeline_page_runner import PipelinePageRunner
from webbuild.verify.prompt_cost import measure_prompt_cost, prompt_cost_problems
from webbuild.verify.report import BackendRun, Problem, SampleResult, Timings
from webbuild.verify.run_problems import console_problems, fallback_only_problems, page_error_problem
from webbuild.verify.run_sample import run_frame, run_sample
from webbuild.verify.tracks import compare_tracks

ReferenceResults = Sequence[tuple[VerifyInput, Answer]]
ProgressCallback = Callable[[str], None]

_MIN_RUNS = 3
"""Minimum number of runs for the median; with fewer samples the last one runs again."""


class _Outcome(Struct):
    """Results of a page so far, kept if it fails midway; `times` are the milliseconds of its runs."""

    loaded: LoadResult | None = None
    results: list[SampleResult] = []
    times: list[float] = []
    problems: list[Problem] = []


def run_backend(
    browser: DrivenBrowser,
    server: Server,
    bundle: Bundle,
    name: str,
    samples: ReferenceResults,
    *,
    seconds: float,
    progress: ProgressCallback,
) -> BackendRun:
    """Verify the graph with this name.

    If the bundle disables its backend, the runtime uses WASM, and that is verified. A reduced-precision graph is
    skipped if the adapter lacks its features.

    Raises:
        WebbuildError: `no-adapter`. All other errors become problems in the report.
    """
    with browser.page() as (page, console):
        graph = bundle.graph(name)
        backend = name.partition(" ")[0]
        load_options = LoadedGraphs.of(bundle, name)
        runner = _page_runner(page, server, bundle, name, samples, seconds)
        if backend == "webgpu" and load_options.on_webgpu:
            features = runner.adapter()
            if features is None:
                raise no_adapter_error(browser.name)
            if lacks := [feature for feature in load_options.reduced_features if feature not in features]:
                return BackendRun(backend=name, skip_reason=f"this adapter has no {', '.join(lacks)}")
        if bundle.batch > 1:
            samples = [each for each in samples if not each[0].tracked]
        outcome = _Outcome()
        try:
            progress(f"{name}: loading")
            outcome.loaded, outcome.problems = load_tested(
                lambda tested: runner.load(
                    bundle.loader_file, load_options.backend, load_options.precision, bundle.size, self_test=tested
                ),
                name,
            )
            require_own_gpu(str(outcome.loaded.info.adapter or ""), browser.name)
            _run_samples(bundle, runner, name, samples, browser.name, progress, outcome)
            runner.dispose()
        except PageError as error:
            outcome.problems.append(page_error_problem(name, error))
        run = BackendRun(backend=name) if outcome.loaded is None else _loaded_run(name, outcome.loaded, outcome)
        problems = outcome.problems
        if isinstance(runner, PipelinePageRunner):
            run = msgspec.structs.replace(run, prompt_cost=measure_prompt_cost(runner))
            problems += prompt_cost_problems(bundle, name, runner)
        if bundle.batch > 1 or bundle.all_stages:  # the engine only logs the first stage's session, for one picture
            run = msgspec.structs.replace(run, placements=())
        elif outcome.loaded is not None and is_placement_promised(graph):
            forced = [] if graph is None else [*graph.cpu_nodes, *casts_of_inputs(bundle.graph_path(graph))]
            misplaced = misplaced_problems(outcome.loaded.backend, run.placements, where=name, forced=forced)
            problems = [*misplaced, *problems]
        return msgspec.structs.replace(run, problems=(*run.problems, *problems, *console_problems(name, console)))


def _run_samples(
    bundle: Bundle,
    runner: PageRunner,
    name: str,
    samples: ReferenceResults,
    browser: str,
    progress: ProgressCallback,
    outcome: _Outcome,
) -> None:
    """Run every sample, frames of sequences also as pictures, and the last sample until there are `_MIN_RUNS` times.

    Raises:
        PageError: the page failed; `outcome` has the results so far.
    """
    for verify_input, expected in samples:
        progress(f"{name}: {verify_input.title}")
        result, took = run_sample(bundle, runner, verify_input, expected, browser)
        outcome.results.append(result)
        outcome.times += took
    tracked = list[tuple[Answer, SampleResult]]()
    for verify_input, expected in samples:
        if verify_input.sequence and verify_input.file is not None:
            progress(f"{name}: {verify_input.title}, as a picture")
            result = run_frame(bundle, runner, verify_input, expected)
            outcome.results.append(result)
            tracked += [(expected, result)] if verify_input.tracked else []
    if tracked:
        outcome.results.append(compare_tracks(name, tracked))
    while samples and len(outcome.times) < _MIN_RUNS and not bundle.all_stages:
        outcome.times.append(runner.run_timed(samples[-1][0].feeds)[1])


def load_tested(load: Callable[[bool], LoadResult], where: str) -> tuple[LoadResult, list[Problem]]:
    """Load with the self-test, like a visitor's page; if it fails, report a problem and load without it.

    Raises:
        PageError: the runtime failed for another reason, or also without the self-test.
    """
    try:
        return load(True), []
    except PageError as error:
        if error.failure.code != "self-test-failed":
            raise
        problem = Problem(
            code="self-test-failed",
            where=where,
            message=f"a visitor's page rejects this graph, because its self-test fails: {error.failure.message}",
            fix="if the samples below are right, pack the model again; else run `webbuild bisect` to find the node",
        )
        return load(False), [problem]


def _page_runner(
    page: DrivenPage, server: Server, bundle: Bundle, name: str, samples: ReferenceResults, seconds: float
) -> PageRunner:
    if bundle.all_stages:
        return PipelinePageRunner(page, server, name, bundle.all_stages, seconds=seconds)
    picture = picture_input(bundle.manifest)
    if bundle.batch == 1 or picture is None:
        return PageRunner(page, server, name, stage=bundle.stage, seconds=seconds)
    others = [file for verify_input, _ in samples for file in verify_input.files]
    return BatchPageRunner(page, server, name, picture.name, bundle.batch, others, stage=bundle.stage, seconds=seconds)


def _loaded_run(backend: str, loaded: LoadResult, outcome: _Outcome) -> BackendRun:
    info = loaded.info
    placements = summarize_placement(loaded.backend, info.placement or ())
    return BackendRun(
        backend=backend,
        reason=loaded.reason,
        engine_build=info.engine.build,
        threads=info.engine.threads,
        adapter=str(info.adapter) if info.adapter else "",
        placements=placements,
        timings=Timings(
            load=loaded.ms,
            session=info.timings.session,
            first_run=max([info.timings.warmup, *outcome.times[:1]]),
            steady_run=statistics.median(outcome.times) if outcome.times else None,
            runs=len(outcome.times),
        ),
        results=tuple(outcome.results),
        warnings=loaded.warnings,
        problems=tuple(fallback_only_problems(backend, outcome.results)),
    )


def is_placement_promised(graph: Graph | None) -> bool:
    """Whether a node on another backend is a problem; it is not if the bundle declares nodes on the CPU."""
    return graph is None or graph.target != "webgpu" or graph.all_on_gpu
