"""The verification report as values, and its exit code."""

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
    """A failure that is no number: a file, a node, a message, an error. `where` is the backend or the bundle."""

    code: str
    where: str
    message: str
    fix: str


def problem_of(error: WebbuildError, where: str) -> Problem:
    """Return an error as a problem."""
    return Problem(code=error.code, where=where, message=error.message, fix=error.fix)


class VerifyEnvironment(ReportJson, frozen=True):
    """What it was measured with."""

    webbuild: str
    browser: str
    browser_path: str
    engine: str
    onnxruntime: str
    platform: str


class ProviderPlacement(ReportJson, frozen=True):
    """The nodes a provider runs: how many, of which operators; `nodes` names those that are out of place."""

    provider: str
    expected: bool
    count: int
    operators: dict[str, int]
    nodes: tuple[ExecutedNode, ...] = ()


class Timings(ReportJson, frozen=True):
    """Milliseconds.

    `first_run` is the warm-up while loading or, without one, the first of all; `steady_run` the median of `runs`.
    """

    load: float
    session: float
    first_run: float
    steady_run: float | None
    runs: int


class Questions(ReportJson, frozen=True):
    """Questions about pictures that were looked at once: what they took besides the last stage's own runs.

    `look` is the median in milliseconds. `earlier_runs` are those of stages before the last. `read_bytes` is the most
    that a question read back from the GPU, None where nobody counted, `answer_bytes` what that answer's arrays hold.
    """

    looks: int
    asked: int
    look: float
    earlier_runs: int
    read_bytes: int | None
    answer_bytes: int


class PointedAt(ReportJson, frozen=True):
    """What was pointed at in a picture, in its pixels: clicks on the object and beside it, and a box, x1 y1 x2 y2."""

    on: tuple[tuple[float, float], ...]
    beside: tuple[tuple[float, float], ...]
    box: tuple[float, float, float, float] | None


class SampleReport(ReportJson, frozen=True):
    """An input, and what the reference made of it (in source pixels). `file` is a picture, if it was one.

    `classes` are the best ones, `depth` the least and the largest of its map, `map` a small picture of that, as a data
    URL, `pointed` what was asked about.
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

    `tracks` are the ids of the detections, in a video. `min_oks` and `min_mask_iou` are of the worst pair, `map` is
    as a sample's.
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
    """One graph on its backend: how it was reached, where its nodes went, how long it took, what it answered.

    `backend` is the graph's name: `webgpu`, or `webgpu fp16`. `skip_reason` says why it was not run: the browser's
    adapter cannot, where it can run another graph of the same backend, which answers for it.
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
    questions: Questions | None = None

    @property
    def comparisons(self) -> list[Comparison]:
        """Every judgement of this backend."""
        return [comparison for result in self.results for comparison in result.comparisons]

    @property
    def tolerance_used(self) -> float | None:
        """The largest share of its tolerance that a difference takes; None where nothing was compared."""
        return max((each.tolerance_used for each in self.comparisons), default=None)


class VerifyReport(ReportJson, frozen=True):
    """Everything. `reference` names what the backends were judged against.

    `noise` is not empty where something differed: by quantity, the reference's own differences when perturbed.
    `fp16_backend` is what computed the graphs in half precision when they were proven. `stages` are the names of the
    stages of a model of several, each of which has a run on each backend, as all of them together have.
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
        """Every judgement, the reference's own checks first."""
        yield from self.checks
        for run in self.backends:
            yield from run.comparisons

    def failures(self) -> list[Comparison]:
        """The judgements that are not OK."""
        return [comparison for comparison in self.comparisons() if comparison.verdict != "OK"]

    def all_problems(self) -> list[Problem]:
        """Problems of the bundle, then those of each backend."""
        return [*self.problems, *(problem for run in self.backends for problem in run.problems)]


def exit_code(report: VerifyReport) -> int:
    """Return 0 only for a report in which all that was run compared something, nothing differed, nothing broke."""
    ran = [run for run in report.backends if not run.skip_reason]
    proved = bool(ran) and all(run.comparisons for run in ran)
    clean = proved and not report.failures() and not report.all_problems()
    return CLEAN if clean else FAILED
