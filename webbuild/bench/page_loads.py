"""Page loads of a benchmark: the first visit, runs one after another, and a second visit."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.bench.page_driver import LoadTiming, PageDriver, RunTiming
from webbuild.bench.report import PageLoad, RunTimes
from webbuild.bench.scenario import WARMUP_RUNS, Scenario
from webbuild.browser.driven_browser import DrivenPage


class PageLoads:
    """What was measured, until something failed."""

    load_timing: LoadTiming | None = None
    first: PageLoad | None = None
    second: PageLoad | None = None
    frames: RunTimes | None = None

    def measure(self, page: DrivenPage, scenario: Scenario, backend: str) -> None:
        """Measure in a page of a profile that knows nothing of the bundle. Raises PageError."""
        scenario.say(f"{backend}: a first visit")
        driver = PageDriver(page, scenario.server, seconds=scenario.seconds)
        self.load_timing, self.first = load_page(driver, scenario, backend)
        scenario.say(f"{backend}: {scenario.runs} runs")
        driver.hold_samples(scenario.samples)
        scenario.run(driver, WARMUP_RUNS)
        self.frames = collect_run_times(scenario.run(driver, scenario.runs), backend)
        driver.dispose()
        scenario.say(f"{backend}: a second visit")
        again = PageDriver(page, scenario.server, seconds=scenario.seconds)
        self.second = load_page(again, scenario, backend)[1]
        again.dispose()


def load_page(driver: PageDriver, scenario: Scenario, backend: str) -> tuple[LoadTiming, PageLoad]:
    """Come, load, and get an answer to the first sample."""
    before = scenario.sent_bytes.bytes
    arrived = driver.load(scenario.bundle.loader_file, backend, scenario.precision)
    ran = driver.first_run(scenario.samples[0])
    took = arrived.info.timings
    return arrived, PageLoad(
        bytes=scenario.sent_bytes.bytes - before,
        imported=arrived.imported,
        session=arrived.session,
        loaded=arrived.loaded,
        first_run=ran.ms,
        first_result=arrived.loaded + ran.ms,
        stages={"engine": took.engine, "weights": took.weights, "session": took.session, "warmup": took.warmup},
    )


def collect_run_times(runs: Sequence[RunTiming], backend: str) -> RunTimes:
    """Return runs as a report has them; a stage that only some runs have took no time in the others."""
    names = dict.fromkeys(name for run in runs for name in run.stages)
    return RunTimes(
        runs=tuple(run.ms for run in runs),
        stages={name: tuple(run.stages.get(name, 0.0) for run in runs) for name in names},
        fallbacks=sum(run.backend != backend for run in runs),
    )
