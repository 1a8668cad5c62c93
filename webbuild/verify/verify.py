"""The whole verification: the reference, then each backend in Chromium, into one report."""

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
from webbuild.compare.comparison import Comparison
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import final_verdicts
from webbuild.equivalence.sequences import merge_steps
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Graph, Task
from webbuild.manifest.variant_names import picture_size
from webbuild.preprocess.point_prompt import BACKGROUND, FOREGROUND, PointPrompt
from webbuild.reporting.prediction_image import prediction_image_url
from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.decoding.depth_map import DepthMap
from webbuild.tasks.metrics.compare_classes import TOP_CLASSES
from webbuild.verify import degenerate
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import fp16_backend_used, open_bundle
from webbuild.verify.changed_files import changed_files
from webbuild.verify.glue import glue_in
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.piecewise import ComparePieces, judge_below_noise
from webbuild.verify.pipeline_reference import compute_pipeline_references
from webbuild.verify.report import BackendRun, PointedAt, SampleReport, SampleResult, VerifyEnvironment, VerifyReport
from webbuild.verify.run_all_backends import BrowserRun, run_all_backends
from webbuild.verify.run_backend import ReferenceResults, run_backend
from webbuild.verify.stage_reference import compute_stage_reference, first_variants, takes_earlier
from webbuild.verify.tracks import require_boxes
from webbuild.verify.variant_reference import VariantReference, compute_variant_reference

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
    """Verify a bundle in several browsers: a report for each or, where there was no way to one, why.

    Args:
        places: the browsers. What goes wrong in one of several is in its own report, and the others go on.
        directory: what `webbuild pack` wrote.
        backends: those to judge; none means all that a browser has.
        inputs: pictures (or .npz files for plain tensors) besides the bundle's samples.
        precision: that of the graphs to judge; `auto` judges every graph of the backends, each in a page of its own.
        port: to serve on, 0 for a free one.
        seconds: how long a load or a run may take.
        track: whether to compare the ids of objects in a video, too, made of the sample on which most is found.
        say: called with what is being done.
        compare_pieces: compares a graph of the bundle piece by piece in the named browser, started here, and returns
            how many values agree, 0 where a node is wrong.

    Raises:
        WebbuildError: when nothing can be judged anywhere: no bundle, no reference; `no-tracks`.
    """
    bundle = open_bundle(directory)
    if track:
        require_boxes(bundle)
    problems = tuple(changed_files(bundle))
    requested = list(backends)
    backends = requested or [name for name in _ROWS if any(name in each.backends for each in places)]
    with TemporaryDirectory() as folder:
        references: list[VariantReference] = []
        for each in bundle.variants:
            say(f"native: the reference {each.variant}".rstrip())
            more = references[0].more if references else None
            names = each.graph_names(backends, precision)
            if each.batch > 1:  # each picture of a batch is judged by its own run
                alike = (each.stage, picture_size(each.manifest))
                single = next(
                    one for one in references if (one.bundle.stage, picture_size(one.bundle.manifest)) == alike
                )
                references.append(msgspec.structs.replace(single, bundle=each, names=names))
            elif takes_earlier(each):
                references.append(
                    compute_stage_reference(each, names, first_variants(references), glue_in(places[0], seconds))
                )
            else:
                references.append(compute_variant_reference(each, names, inputs, Path(folder), more, say, track=track))
        if bundle.manifest.stages and not any(each.problems for each in references):
            say("native: the reference of all stages together")
            references += list(
                compute_pipeline_references(bundle, references, backends, precision, glue_in(places[0], seconds))
            )
        jobs = {name: each for each in references for name in each.names}
        with Server(directory, port=port) as server:

            def run(browser: DrivenBrowser, name: str) -> BackendRun:
                mine = jobs[name]
                return run_backend(browser, server, mine.bundle, name, mine.results, seconds=seconds, progress=say)

            alone = len(places) == 1 and places[0].kind == "local"
            reports = [
                run_all_backends(endpoint, server, _in_reach(endpoint, jobs, requested), run, stops=alone)
                for endpoint in places
            ]
        say("native: the noise floor, where something differs")
        pieces = [
            partial(compare_pieces, endpoint.browser) if compare_pieces and endpoint.kind == "local" else None
            for endpoint in places
        ]
        judged = zip(reports, pieces, strict=True)
        reports = [each if isinstance(each, WebbuildError) else _judged(each, jobs, by) for each, by in judged]
        first, shown = references[0], next((each for each in references if each.bundle.all_stages), references[0])
        task = shown.bundle.manifest.task
        report = VerifyReport(
            bundle=bundle.manifest.name,
            title=bundle.manifest.title,
            source=bundle.manifest.source.file,
            reference=first.runner.name,
            task=task,
            environment=_environment(bundle, first.runner.version),
            samples=_sample_reports(bundle, task, shown.results, first.more),
            checks=tuple(check for each in references for check in each.checks),
            backends=(),
            noise={name: level for each in references for name, level in each.noise.items()},
            fp16_backend=fp16_backend_used(bundle),
            stages=tuple(each.bundle.stage for each in first_variants(references)) if bundle.manifest.stages else (),
            problems=(
                *problems,
                *(problem for each in references for problem in each.problems),
                *(
                    problem
                    for stage in first_variants(references)
                    for problem in degenerate.degenerate_problems(
                        stage.bundle.manifest.task,
                        [w.outputs for e in references if e.bundle.stage == stage.bundle.stage for _, w in e.results],
                    )
                ),
            ),
        )
        return [each if isinstance(each, WebbuildError) else _with_runs(report, each) for each in reports]


def _in_reach(endpoint: Endpoint, names: Iterable[str], requested: Sequence[str]) -> list[str]:
    """Return the graphs to run in a browser: all where backends are `requested`, else those of backends that it has."""
    return [name for name in names if requested or name.partition(" ")[0] in endpoint.backends]


def _judged(done: BrowserRun, jobs: Mapping[str, VariantReference], compare_pieces: ComparePieces | None) -> BrowserRun:
    """Judge the samples of each backend together."""
    runs = []
    for run in done.runs:
        reference = jobs[run.backend]
        judged = final_verdicts(run.comparisons, reference.reference.noise)
        drowned = judge_below_noise(judged, run.backend, reference.bundle, reference.reference, compare_pieces)
        runs.append(_with_merged_steps(_with_comparisons(run, drowned), reference.sequences))
    return msgspec.structs.replace(done, runs=tuple(runs))


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


def _with_merged_steps(run: BackendRun, sequences: Mapping[str, str]) -> BackendRun:
    """Return a run with one result for the steps of a sequence: the worst of each output."""
    merged: dict[str, SampleResult] = {}
    for each in run.results:
        name = sequences.get(each.sample, each.sample)
        before = merged.get(name)
        compared = each.comparisons if before is None else (*before.comparisons, *each.comparisons)
        merged[name] = msgspec.structs.replace(before or each, sample=name, comparisons=compared)
    results = (
        msgspec.structs.replace(each, comparisons=tuple(merge_steps(each.comparisons, sequences)))
        for each in merged.values()
    )
    return msgspec.structs.replace(run, results=tuple(results))


def _sample_reports(
    bundle: Bundle, task: Task, reference: ReferenceResults, more: Sequence[Path]
) -> tuple[SampleReport, ...]:
    """Return what was compared; frames, and the pictures `more`, were made for it, and are gone.

    A sequence counts once.
    """
    samples = [
        _sample_report(
            bundle, task, msgspec.structs.replace(verify_input, file=None) if is_gone else verify_input, expected
        )
        for verify_input, expected in reference
        if not verify_input.continues
        for is_gone in [verify_input.file in more or bool(verify_input.sequence)]
    ]
    return tuple(samples)


def _sample_report(bundle: Bundle, task: Task, verify_input: VerifyInput, expected: Answer) -> SampleReport:
    placement = verify_input.placement
    depth = next((each for each in expected.prediction if isinstance(each, DepthMap)), None)
    return SampleReport(
        title=verify_input.sequence or verify_input.title,
        file=None if verify_input.file is None else _path_from_bundle(verify_input.file, bundle.directory),
        width=placement.source_width if placement else 0,
        height=placement.source_height if placement else 0,
        detections=tuple(expected.detections),
        classes=tuple(each for each in expected.prediction if isinstance(each, ClassScore))[:TOP_CLASSES],
        depth=None if depth is None else (depth.minimum, depth.maximum),
        map=prediction_image_url(task, expected.prediction, file=verify_input.file),
        pointed=None if verify_input.points is None else _pointed_at(verify_input.points),
    )


def _pointed_at(prompt: PointPrompt) -> PointedAt:
    on, beside = (
        tuple(point for point, label in zip(prompt.points, prompt.labels, strict=True) if label == wanted)
        for wanted in (FOREGROUND, BACKGROUND)
    )
    return PointedAt(on, beside, prompt.box)


def _path_from_bundle(file: Path, directory: Path) -> str:
    """Return a bundle's own file relative to its folder, which may move; any other file as an absolute path."""
    return (file.relative_to(directory) if file.is_relative_to(directory) else file.resolve()).as_posix()


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
