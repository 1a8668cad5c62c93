"""The benchmark report as values, and its exit code."""

from __future__ import annotations

from webbuild.bench.percentiles import percentile
from webbuild.errors import CLEAN, FAILED
from webbuild.verify.report import Problem, ReportJson


class Environment(ReportJson, frozen=True):
    """What was measured, and on which machine the bundle was served."""

    webbuild: str
    engine: str
    platform: str


class PageLoad(ReportJson, frozen=True):
    """A visit, in milliseconds since the loader was asked for, and the bytes that the server sent for it.

    There is a session at `session`; the self-test and the warm-up are done at `loaded`; `first_result` is that of a
    picture's file, `first_run` how long that run took by itself. `stages` are those of loading, as the runtime has
    them.
    """

    bytes: int
    imported: float
    session: float
    loaded: float
    first_run: float
    first_result: float
    stages: dict[str, float]


class RunTimes(ReportJson, frozen=True):
    """Runs one after another on pictures that are decoded, milliseconds each; `stages` has those of every run.

    `fallbacks` were answered by another backend's graph.
    """

    runs: tuple[float, ...]
    stages: dict[str, tuple[float, ...]]
    fallbacks: int

    @property
    def p50(self) -> float:
        """Half of the runs took no longer."""
        return percentile(self.runs, 50)

    @property
    def p95(self) -> float:
        """19 of 20 runs took no longer."""
        return percentile(self.runs, 95)

    def stage(self, name: str) -> float:
        """The median of a stage."""
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
    """By how many bytes what is held grew over `runs` runs. `heap` is JavaScript's, None where no browser says."""

    runs: int
    wasm: int
    gpu: int
    heap: int | None


class PeakMemory(ReportJson, frozen=True):
    """The most bytes that were held at a time while a model was loaded and run once, and those of its weights.

    `page` is JavaScript and WebAssembly, the page's and its workers', measured again and again; None where a
    measurement is missing. `wasm` are the memories of WebAssembly, a part of it; `gpu` the buffers on the GPU, counted.
    `planned` are the weights and the tensors in use at the peak of the GPU's memory as `webbuild pack` planned it; None
    where no plan is of the graph that was loaded.
    """

    page: int | None
    wasm: int
    gpu: int
    weights: int
    planned: int | None = None


class LongTasks(ReportJson, frozen=True):
    """The page's main thread while loading and running: its longest task, and what of all is beyond 50 ms each.

    Milliseconds of processor time. `tasks` counts those beyond 50.
    """

    longest: float
    tasks: int
    blocking_time: float


class Profile(ReportJson, frozen=True):
    """What slows a visit down to measure, and so was measured in one of its own. `cpu_nodes` None: nobody said.

    `between_stages` are the bytes that the first stage of several reads back from the GPU for one sample, its own
    result among them; None for a model of one stage. `long_tasks` are None where the browser has no trace.
    """

    nodes: int
    cpu_nodes: int | None
    per_run: PerRun
    growth: MemoryGrowth
    long_tasks: LongTasks | None
    between_stages: int | None = None


class BackendBench(ReportJson, frozen=True, kw_only=True):
    """One backend in one browser. What could not be measured is None, and a problem says why.

    `endpoint` is the browser's address, or the name of one of several that are started here; empty for one alone.
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
        """Whether everything was."""
        parts = (self.first_load, self.second_load, self.profile, self.peak_memory)
        return all(part is not None for part in parts) and self.run_times is not None and len(self.run_times.runs) > 0


class BenchReport(ReportJson, frozen=True):
    """Everything."""

    bundle: str
    title: str
    environment: Environment
    samples: tuple[str, ...]
    backends: tuple[BackendBench, ...]

    def problems(self) -> list[Problem]:
        """Those of all backends."""
        return [problem for each in self.backends for problem in each.problems]


def exit_code(report: BenchReport) -> int:
    """Return 0 only where every measurement of every backend succeeded, without a problem."""
    complete = bool(report.backends) and all(each.measured for each in report.backends)
    return CLEAN if complete and not report.problems() else FAILED
