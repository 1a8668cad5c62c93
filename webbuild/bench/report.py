"""The benchmark report as data, and its exit code."""

from __future__ import annotations

from webbuild.bench.percentiles import percentile
from webbuild.errors import CLEAN, FAILED
from webbuild.verify.report import Problem, ReportJson


class Environment(ReportJson, frozen=True):
    """The versions, and the machine that served the bundle."""

    webbuild: str
    engine: str
    platform: str


class PageLoad(ReportJson, frozen=True):
    """A visit, in milliseconds since the loader was requested, and the bytes that the server sent for it.

    The session exists at `session`; self-test and warm-up end at `loaded`; `first_result` is the result for a picture
    file, after a run of `first_run` milliseconds. `stages` are the runtime's own times of loading.
    """

    bytes: int
    imported: float
    session: float
    loaded: float
    first_run: float
    first_result: float
    stages: dict[str, float]


class RunTimes(ReportJson, frozen=True):
    """Milliseconds of sequential runs on decoded pictures, and of each stage in every run.

    `fallbacks` is the number of runs on another backend's graph.
    """

    runs: tuple[float, ...]
    stages: dict[str, tuple[float, ...]]
    fallbacks: int

    @property
    def p50(self) -> float:
        """The median time of a run."""
        return percentile(self.runs, 50)

    @property
    def p95(self) -> float:
        """The 95th percentile of the time of a run."""
        return percentile(self.runs, 95)

    def stage(self, name: str) -> float:
        """Return the median time of a stage."""
        return percentile(self.stages[name], 50)


class PerRun(ReportJson, frozen=True):
    """GPU work of one run, on average: kernels dispatched, bytes uploaded, bytes read back."""

    dispatches: float
    submits: float
    uploads: float
    uploaded_bytes: float
    readbacks: float
    read_bytes: float


class MemoryGrowth(ReportJson, frozen=True):
    """Growth of memory over `runs` runs, in bytes. `heap` is JavaScript's, None if the browser does not report it."""

    runs: int
    wasm: int
    gpu: int
    heap: int | None


class PeakMemory(ReportJson, frozen=True):
    """Peak memory in bytes while a model loads and runs once, and the bytes of its weights.

    - `page`: JavaScript and WebAssembly of the page and its workers, measured repeatedly; None if a measurement is
      missing. `wasm`: the part that is WebAssembly memory.
    - `gpu`: the GPU buffers, counted.
    - `planned`: weights and live tensors at the GPU peak planned by `webbuild pack`; None without a plan for the graph.
    """

    page: int | None
    wasm: int
    gpu: int
    weights: int
    planned: int | None = None


class LongTasks(ReportJson, frozen=True):
    """Long tasks of the page's main thread while loading and running, in milliseconds of CPU time.

    `longest` is the longest task, `tasks` the number above 50 ms, `blocking_time` the sum of their time above 50 ms.
    """

    longest: float
    tasks: int
    blocking_time: float


class Profile(ReportJson, frozen=True):
    """Measurements that slow a visit down, from a separate visit. `cpu_nodes` is None if the engine does not report it.

    `between_stages` are the bytes that the first of several stages reads back from the GPU for one sample, including
    its own result; None for a single stage. `long_tasks` is None if the browser cannot trace.
    """

    nodes: int
    cpu_nodes: int | None
    per_run: PerRun
    growth: MemoryGrowth
    long_tasks: LongTasks | None
    between_stages: int | None = None


class BackendBench(ReportJson, frozen=True, kw_only=True):
    """One backend in one browser. A missing measurement is None, and a problem says why.

    `endpoint` is the browser's address, or the name of one of several local browsers; empty for a single one.
    """

    endpoint: str
    browser: str = ""
    adapter: str = ""
    backend: str
    engine_build: str = ""
    threads: int = 0
    first_load: PageLoad | None = None
    second_load: PageLoad | None = None
    run_times: RunTimes | None = None
    profile: Profile | None = None
    peak_memory: PeakMemory | None = None
    problems: tuple[Problem, ...]

    @property
    def measured(self) -> bool:
        """Whether all measurements exist."""
        parts = (self.first_load, self.second_load, self.profile, self.peak_memory)
        return all(part is not None for part in parts) and self.run_times is not None and len(self.run_times.runs) > 0


class BenchReport(ReportJson, frozen=True):
    """The whole benchmark report."""

    bundle: str
    title: str
    environment: Environment
    samples: tuple[str, ...]
    backends: tuple[BackendBench, ...]

    def problems(self) -> list[Problem]:
        """Return the problems of all backends."""
        return [problem for each in self.backends for problem in each.problems]


def exit_code(report: BenchReport) -> int:
    """Return 0 only if every measurement of every backend succeeded without a problem."""
    complete = bool(report.backends) and all(each.measured for each in report.backends)
    return CLEAN if complete and not report.problems() else FAILED
