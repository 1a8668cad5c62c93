"""Page loads of a benchmark: a first visit, sequential runs, and a second visit."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.bench.page_driver import LoadTiming, PageDriver, RunTiming
from webbuild.bench.report import PageLoad, RunTimes
from webbuild.bench.scenario import WARMUP_RUNS, Scenario
from webbuild.browser.driven_browser import DrivenPage


class PageLoads:
    """The measurements so far; they stay if a later one fails."""

    load_timing: LoadTiming | None = None
    first: PageLoad | None = None
    second: PageLoad | None = None
    frames: RunTimes | None = None

    def measure(self, page: DrivenPage, scenario: Scenario, backend: str) -> None:
        """Measure in a page with an empty browser cache. Raises PageError."""
        scenario.say(f"{backend}: a first visit")
        driver = PageDriver(page, scenario.server, seconds=scenario.seconds)
        self.load_timing, self.first = _load_page(driver, scenario, backend)
        scenario.say(f"{backend}: {scenario.runs} runs")
        driver.hold_samples(scenario.samples)
        scenario.run(driver, WARMUP_RUNS)
        self.frames = collect_run_times(scenario.run(driver, scenario.runs), backend)
        driver.dispose()
        scenario.say(f"{backend}: a second visit")
        again = PageDriver(page, scenario.server, seconds=scenario.seconds)
        self.second = _load_page(again, scenario, backend)[1]
        again.dispose()


def _load_page(driver: PageDriver, scenario: Scenario, backend: str) -> tuple[LoadTiming, PageLoad]:
    """Load the bundle and run the first sample."""
    before = scenario.sent_bytes.bytes
    loaded = driver.load(scenario.bundle.loader_file, backend, scenario.precision)
    first_run = driver.first_run(scenario.samples[0])
    times = loaded.info.timings
    return loaded, PageLoad(
        bytes=scenario.sent_bytes.bytes - before,
        imported=loaded.imported,
        session=loaded.session,
        loaded=loaded.loaded,
        first_run=first_run.ms,
        first_result=loaded.loaded + first_run.ms,
        stages={"engine": times.engine, "weights": times.weights, "session": times.session, "warmup": times.warmup},
    )


def collect_run_times(runs: Sequence[RunTiming], backend: str) -> RunTimes:
    """Return the runs for the report; a stage missing in a run took 0 ms there."""
    names = dict.fromkeys(name for run in runs for name in run.stages)
    return RunTimes(
        runs=tuple(run.ms for run in runs),
        stages={name: tuple(run.stages.get(name, 0.0) for run in runs) for name in names},
        fallbacks=sum(run.backend != backend for run in runs),
    )
