"""The whole verification: the reference, then each backend in Chromium, into one report."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.open_browser import Endpoint
from webbuild.browser.server import Server
from webbuild.compare.comparison import Comparison
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import Reference, final_verdicts
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Task
from webbuild.reporting.depth_colormap import depth_colormap_url
from webbuild.tasks.class_scores import ClassScore
from webbuild.tasks.depth_map import DepthMap
from webbuild.tasks.metrics.compare_classes import TOP_CLASSES
from webbuild.verify import degenerate
from webbuild.verify.augment import augment_images
from webbuild.verify.bundle_reader import Bundle, changed_files, fp16_backend_used, open_bundle
from webbuild.verify.inputs import VerifyInput, collect_inputs, inputs_from_files
from webbuild.verify.reference import check_golden_run, reference_runner, run_reference
from webbuild.verify.report import BackendRun, SampleReport, VerifyEnvironment, VerifyReport
from webbuild.verify.run_all_backends import BrowserRun, run_all_backends
from webbuild.verify.run_backend import ReferenceResults, run_backend

BACKENDS = ("webgpu", "wasm")


def verify_in_browsers(
    places: Sequence[Endpoint],
    directory: Path,
    backends: Sequence[str],
    inputs: Sequence[Path] = (),
    *,
    precision: str = "auto",
    port: int = 0,
    seconds: float = 300,
    say: Callable[[str], None] = lambda _: None,
) -> list[VerifyReport | WebbuildError]:
    """Verify a bundle in several browsers: a report for each or, where there was no way to one, why.

    Args:
        places: the browsers. What goes wrong in one of several is in its own report, and the others go on.
        directory: what `webbuild pack` wrote.
        backends: those to judge.
        inputs: pictures (or .npz files for plain tensors) besides the bundle's samples.
        precision: that of the graphs to judge; `auto` judges every graph of the backends, each in a page of its own.
        port: to serve on, 0 for a free one.
        seconds: how long a load or a run may take.
        say: called with what is being done.

    Raises:
        WebbuildError: when nothing can be judged anywhere: no bundle, no reference.
    """
    bundle = open_bundle(directory)
    names = bundle.graph_names(backends, precision)
    problems = tuple(changed_files(bundle))
    say("native: the reference")
    runner = reference_runner(bundle)
    own = collect_inputs(bundle, inputs)
    reference = run_reference(bundle, runner, own)
    checks = check_golden_run(bundle, runner)
    with TemporaryDirectory() as folder:
        more = inputs_from_files(bundle, augment_images(bundle, own, reference, Path(folder)))
        if more:
            say(f"native: {len(more)} more pictures, for a model that is numerically unstable")
            reference = run_reference(bundle, runner, [*own, *more])
        work: ReferenceResults = list(zip([*own, *more], reference.answers, strict=True))
        with Server(directory, port=port) as server:

            def run(browser: BrowserHandle, name: str) -> BackendRun:
                return run_backend(browser, server, bundle, name, work, seconds=seconds, progress=say)

            reports = [run_all_backends(endpoint, server, names, run) for endpoint in places]
    say("native: the noise floor, where something differs")
    reports = [each if isinstance(each, WebbuildError) else _judged(each, reference) for each in reports]
    task = bundle.manifest.task
    report = VerifyReport(
        bundle=bundle.manifest.name,
        title=bundle.manifest.title,
        source=bundle.manifest.source.file,
        reference=runner.name,
        task=task,
        environment=_environment(bundle, runner.version),
        samples=_sample_reports(bundle, task, work, len(own)),
        checks=tuple(checks),
        backends=(),
        noise={} if reference.noise is None else reference.noise.named_levels,
        fp16_backend=fp16_backend_used(bundle),
        problems=(*problems, *degenerate.degenerate_problems(task, [want.outputs for _, want in work])),
    )
    return [each if isinstance(each, WebbuildError) else _with_runs(report, each) for each in reports]


def _judged(done: BrowserRun, reference: Reference) -> BrowserRun:
    """Judge the samples of each backend together."""
    runs = tuple(_with_comparisons(run, final_verdicts(run.comparisons, reference.noise)) for run in done.runs)
    return msgspec.structs.replace(done, runs=runs)


def _with_runs(report: VerifyReport, done: BrowserRun) -> VerifyReport:
    where = msgspec.structs.replace(report.environment, browser=done.browser, browser_path=done.path)
    return msgspec.structs.replace(report, environment=where, backends=done.runs)


def _with_comparisons(run: BackendRun, comparisons: Sequence[Comparison]) -> BackendRun:
    judged = iter(comparisons)
    results = [
        msgspec.structs.replace(result, comparisons=tuple(next(judged) for _ in result.comparisons))
        for result in run.results
    ]
    return msgspec.structs.replace(run, results=tuple(results))


def _sample_reports(bundle: Bundle, task: Task, work: ReferenceResults, own: int) -> tuple[SampleReport, ...]:
    """Return what was compared; pictures after the first `own` were made for it, and are gone."""
    samples = [_sample_report(bundle, task, given, expected) for given, expected in work]
    return (*samples[:own], *(msgspec.structs.replace(sample, file=None) for sample in samples[own:]))


def _sample_report(bundle: Bundle, task: Task, given: VerifyInput, expected: Answer) -> SampleReport:
    place = given.placement
    depth = next((each for each in expected.prediction if isinstance(each, DepthMap)), None)
    return SampleReport(
        title=given.title,
        file=None if given.file is None else _path_from_bundle(given.file, bundle.directory),
        width=place.source_width if place else 0,
        height=place.source_height if place else 0,
        detections=tuple(expected.detections),
        classes=tuple(each for each in expected.prediction if isinstance(each, ClassScore))[:TOP_CLASSES],
        depth=None if depth is None else (depth.minimum, depth.maximum),
        map="" if depth is None else depth_colormap_url(task, depth),
    )


def _path_from_bundle(file: Path, directory: Path) -> str:
    """Return a bundle's own file relative to its folder, which may move; any other file as an absolute path."""
    return str(file.relative_to(directory) if file.is_relative_to(directory) else file.resolve())


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
