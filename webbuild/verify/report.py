"""The verification report as data, and its exit code."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from webbuild.compare.comparison import Comparison
from webbuild.errors import CLEAN, FAILED, WebbuildError
from webbuild.manifest.manifest import Task
from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.decoding.detection import Detection
from webbuild.verify.page_messages import ExecutedNode, RuntimeWarningInfo


class ReportJson(Struct, frozen=True, kw_only=True, rename="camel"):
    """Base: immutable, camelCase in JSON, every field written."""


class Problem(ReportJson, frozen=True):
    """A failure other than a difference: a file, a node, a console message, an error. `where`: backend or bundle."""

    code: str
    where: str
    message: str
    fix: str


def problem_of(error: WebbuildError, where: str) -> Problem:
    """Return an error as a problem."""
    return Problem(code=error.code, where=where, message=error.message, fix=error.fix)


class VerifyEnvironment(ReportJson, frozen=True):
    """The versions and platform of the measurement."""

    webbuild: str
    browser: str
    browser_path: str
    engine: str
    onnxruntime: str
    platform: str


class ProviderPlacement(ReportJson, frozen=True):
    """The nodes that a provider runs: their number by operator; `nodes` lists the misplaced ones."""

    provider: str
    expected: bool
    count: int
    operators: dict[str, int]
    nodes: tuple[ExecutedNode, ...] = ()


class Timings(ReportJson, frozen=True):
    """Times in milliseconds.

    `first_run` is the warm-up while loading, else the first run; `steady_run` is the median of `runs`.
    """

    load: float
    session: float
    first_run: float
    steady_run: float | None
    runs: int


class PromptCost(ReportJson, frozen=True):
    """Cost of prompts on pictures encoded once, in addition to the last stage's runs.

    `pictures` is the number of encoded pictures, `encoding` the median of their milliseconds. `earlier_runs` counts
    further runs of earlier stages. `read_bytes` is the most that a prompt read back from the GPU, None if not counted;
    `result_bytes` is the size of that result's arrays.
    """

    prompts: int
    pictures: int
    encoding: float
    earlier_runs: int
    read_bytes: int | None
    result_bytes: int


class PointedAt(ReportJson, frozen=True):
    """A prompt in pixels of the picture: clicks on the object and on the background, and a box (x1, y1, x2, y2)."""

    object: tuple[tuple[float, float], ...]
    background: tuple[tuple[float, float], ...]
    box: tuple[float, float, float, float] | None


class SampleReport(ReportJson, frozen=True):
    """An input, and the reference's prediction in source pixels. `file` is the picture, if it is one.

    `classes` are the best classes, `depth` the range of a depth map, `map` a small picture of the map as a data URL,
    `pointed` the prompt.
    """

    title: str
    file: str | None
    width: int
    height: int
    detections: tuple[Detection, ...]
    classes: tuple[ClassScore, ...] = ()
    depth: tuple[float, float] | None = None
    map: str = ""
    pointed: PointedAt | None = None


class SampleResult(ReportJson, frozen=True):
    """One sample on one backend.

    `tracks` are the ids of the detections in a video. `min_oks` and `min_mask_iou` belong to the worst pair; `map` is
    like in `SampleReport`.
    """

    sample: str
    comparisons: tuple[Comparison, ...]
    detections: tuple[Detection, ...] = ()
    tracks: tuple[int | None, ...] = ()
    classes: tuple[ClassScore, ...] = ()
    min_oks: float | None = None
    min_mask_iou: float | None = None
    near_threshold: int = 0
    inference_ms: float | None = None
    fallback_reason: str = ""
    map: str = ""


class BackendRun(ReportJson, frozen=True):
    """One graph on its backend: engine, node placement, times, and results.

    `backend` is the graph's name: `webgpu`, or `webgpu fp16`. `reason` says why the runtime chose the backend.
    `skip_reason` says why it was not run: the adapter lacks a feature, but can run another graph of the backend.
    """

    backend: str
    reason: str = ""
    engine_build: str = ""
    threads: int = 0
    adapter: str = ""
    placements: tuple[ProviderPlacement, ...] = ()
    timings: Timings | None = None
    results: tuple[SampleResult, ...] = ()
    warnings: tuple[RuntimeWarningInfo, ...] = ()
    problems: tuple[Problem, ...] = ()
    skip_reason: str = ""
    prompt_cost: PromptCost | None = None

    @property
    def comparisons(self) -> list[Comparison]:
        """All comparisons of this backend."""
        return [comparison for result in self.results for comparison in result.comparisons]

    @property
    def tolerance_used(self) -> float | None:
        """The largest difference as a fraction of its tolerance; None if nothing was compared."""
        return max((each.tolerance_used for each in self.comparisons), default=None)


class VerifyReport(ReportJson, frozen=True):
    """The whole report. `reference` names the runner that the backends are compared with.

    `noise` is the noise floor by quantity, empty if nothing differed. `fp16_backend` computed the half-precision graphs
    when they were proven. `stages` are the names of several stages: each has a run on each backend, and all together.
    """

    bundle: str
    title: str
    source: str
    reference: str
    task: Task
    environment: VerifyEnvironment
    samples: tuple[SampleReport, ...]
    checks: tuple[Comparison, ...]
    backends: tuple[BackendRun, ...]
    problems: tuple[Problem, ...]
    noise: dict[str, float] = {}
    fp16_backend: str = ""
    stages: tuple[str, ...] = ()

    def comparisons(self) -> Iterator[Comparison]:
        """Yield all comparisons, the checks of the reference first."""
        yield from self.checks
        for run in self.backends:
            yield from run.comparisons

    def failures(self) -> list[Comparison]:
        """Return the comparisons that are not OK."""
        return [comparison for comparison in self.comparisons() if comparison.verdict != "OK"]

    def all_problems(self) -> list[Problem]:
        """Return the problems of the bundle, then of each backend."""
        return [*self.problems, *(problem for run in self.backends for problem in run.problems)]


def exit_code(report: VerifyReport) -> int:
    """Return 0 only if every run compared something, nothing differed, and there is no problem."""
    ran = [run for run in report.backends if not run.skip_reason]
    proved = bool(ran) and all(run.comparisons for run in ran)
    clean = proved and not report.failures() and not report.all_problems()
    return CLEAN if clean else FAILED
