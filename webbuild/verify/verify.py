"""The whole verification: the reference, then each backend in Chromium, into one report."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from webbuild.browser.chromium import Chromium
from webbuild.browser.places import Place
from webbuild.browser.server import Server
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest import DepthTask, Engine, PanopticTask, Task
from webbuild.tasks.region_modes import in_any_case
from webbuild.verify import degenerate, steadiness
from webbuild.verify.backend import Work, run_backend
from webbuild.verify.classes import SHOWN
from webbuild.verify.compare import Comparison
from webbuild.verify.depth_picture import depth_picture
from webbuild.verify.detections import void_silent
from webbuild.verify.in_browser import InBrowser, in_browser
from webbuild.verify.inputs import Given, brought, gather
from webbuild.verify.jsep import stand_in, without_unfit
from webbuild.verify.more_pictures import more_pictures
from webbuild.verify.opened import Bundle, changed_files, half_by, open_bundle
from webbuild.verify.reference import Expected, check_golden, divided, expect, reference_runner
from webbuild.verify.report import BackendRun, Environment, Sample, VerifyReport
from webbuild.verify.steadiness import Spread, measure

BACKENDS = ("webgpu", "wasm")


def verify(
    directory: Path,
    backends: Sequence[str] = BACKENDS,
    inputs: Sequence[Path] = (),
    *,
    precision: str = "auto",
    jsep: bool = False,
    seconds: float = 300,
    say: Callable[[str], None] = lambda _: None,
) -> VerifyReport:
    """Verify a bundle in a Chromium that is started here; see `verify_in`.

    Raises:
        WebbuildError: when nothing can be judged: no bundle, no browser, no adapter, no reference.
    """
    (found,) = verify_in(
        [Place()], directory, backends, inputs, precision=precision, jsep=jsep, seconds=seconds, say=say
    )
    if isinstance(found, WebbuildError):
        raise found
    return found


def verify_in(
    places: Sequence[Place],
    directory: Path,
    backends: Sequence[str] = BACKENDS,
    inputs: Sequence[Path] = (),
    *,
    precision: str = "auto",
    jsep: bool = False,
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
        jsep: compare on the engine's default entry instead of the bundle's own builds.
        port: to serve on, 0 for a free one.
        seconds: how long a load or a run may take.
        say: told what is being done.

    Raises:
        WebbuildError: when nothing can be judged anywhere: no bundle, no reference.
    """
    _check(backends)
    bundle = open_bundle(directory)
    if jsep:
        bundle = without_unfit(bundle)
    names = bundle.names(backends, precision)
    problems = tuple(changed_files(bundle))
    say("native: the reference")
    runner = reference_runner(bundle)
    work: Work = [(given, expect(bundle, runner, given)) for given in gather(bundle, inputs)]
    bundle, work = _telling(bundle, work)
    checks = check_golden(bundle, runner)
    own = len(work)
    with TemporaryDirectory() as folder:
        more = brought(bundle, more_pictures(bundle, work, Path(folder)))
        work = [*work, *((given, expect(bundle, runner, given)) for given in more)]
        spread = measure(bundle, runner, work, say)
        with Server(directory, port=port) as server:
            engine = stand_in(server, bundle) if jsep else bundle.manifest.engine

            def run(browser: Chromium, name: str) -> BackendRun:
                return run_backend(browser, server, bundle, name, work, jsep=jsep, seconds=seconds, say=say)

            told = [in_browser(place, server, names, run) for place in places]
    task = bundle.manifest.task
    report = VerifyReport(
        bundle=bundle.manifest.name,
        title=bundle.manifest.title,
        source=bundle.manifest.source.file,
        reference=runner.name,
        task=task,
        environment=_environment(bundle, engine, runner.version),
        samples=_samples(task, work, own),
        checks=tuple(checks),
        backends=(),
        spread={f"{stage} {name}": value for (stage, name), value in spread.pooled.items()} if spread else {},
        half_by=half_by(bundle),
        problems=(*problems, *degenerate.problems(task, [want.outputs for _, want in work])),
    )
    return [each if isinstance(each, WebbuildError) else _reported(report, each, spread) for each in told]


def _reported(report: VerifyReport, done: InBrowser, spread: Spread | None) -> VerifyReport:
    where = msgspec.structs.replace(report.environment, browser=done.browser, browser_path=done.path)
    runs = tuple(_judged_again(_voided(run), spread) for run in done.runs)
    return msgspec.structs.replace(report, environment=where, backends=runs)


def _check(backends: Sequence[str]) -> None:
    unknown = [backend for backend in backends if backend not in BACKENDS]
    if unknown or not backends:
        raise WebbuildError(
            "no-backend",
            f"no such backend: {', '.join(unknown)}" if unknown else "no backend to verify",
            f"name one or both of {', '.join(BACKENDS)}",
            exit_code=USAGE,
        )


def _telling(bundle: Bundle, work: Work) -> tuple[Bundle, Work]:
    """Let a model that is sure of no region on any sample divide them in a mode that always does."""
    task = bundle.manifest.task
    if not isinstance(task, PanopticTask) or any(want.regions and want.regions.regions for _, want in work):
        return bundle, work
    always = in_any_case(task)
    manifest = msgspec.structs.replace(bundle.manifest, task=always)
    told = [(given, divided(always, given, want)) for given, want in work]
    return msgspec.structs.replace(bundle, manifest=manifest), told


def _voided(run: BackendRun) -> BackendRun:
    """Judge the samples together: a backend that found nothing on any of them proved nothing."""
    return _with(run, void_silent(run.comparisons))


def _judged_again(run: BackendRun, spread: Spread | None) -> BackendRun:
    return run if spread is None else _with(run, steadiness.judge(run.comparisons, spread))


def _with(run: BackendRun, comparisons: Sequence[Comparison]) -> BackendRun:
    judged = iter(comparisons)
    cases = [
        msgspec.structs.replace(case, comparisons=tuple(next(judged) for _ in case.comparisons)) for case in run.cases
    ]
    return msgspec.structs.replace(run, cases=tuple(cases))


def _samples(task: Task, work: Work, own: int) -> tuple[Sample, ...]:
    """Return what was compared; pictures behind the first `own` were made for it, and are gone."""
    told = [_sample(task, given, expected) for given, expected in work]
    return (*told[:own], *(msgspec.structs.replace(sample, file=None) for sample in told[own:]))


def _sample(task: Task, given: Given, expected: Expected) -> Sample:
    place = given.placement
    return Sample(
        title=given.title,
        file=str(given.file) if given.file else None,
        width=place.source_width if place else 0,
        height=place.source_height if place else 0,
        detections=expected.detections,
        classes=expected.classes[:SHOWN],
        depth=None if expected.depth is None else (expected.depth.minimum, expected.depth.maximum),
        map="" if expected.depth is None or not isinstance(task, DepthTask) else depth_picture(task, expected.depth),
    )


def _environment(bundle: Bundle, engine: Engine, onnxruntime: str) -> Environment:
    return Environment(
        webbuild=bundle.manifest.generator.version,
        browser="",
        browser_path="",
        engine=f"{engine.name} {engine.version}",
        onnxruntime=onnxruntime,
        platform=platform.platform(),
    )
