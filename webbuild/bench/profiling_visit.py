"""The profiled visit, slower than the others: nodes, kernels, copies, memory, and the page's main thread."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from webbuild.bench.page_driver import PageDriver
from webbuild.bench.report import LongTasks, MemoryGrowth, PerRun, Profile
from webbuild.bench.scenario import WARMUP_RUNS, Scenario
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.driven_browser import DrivenBrowser, DrivenPage
from webbuild.browser.tracing import LONG_TASK_MS, MainThreadTask, main_thread_tasks
from webbuild.verify.gpu_counters import GpuCounters
from webbuild.verify.node_placement import summarize_placement
from webbuild.verify.page_messages import ProviderNodes


def profile_visit(browser: DrivenBrowser, page: DrivenPage, scenario: Scenario, backend: str) -> Profile:
    """Load, run and count in a page with an empty browser cache. Raises PageError.

    Only in Chromium, the main thread is traced from the opening of the page to the end of the warm-up runs.
    """
    scenario.say(f"{backend}: a closer look")
    with _traced(browser, page) as tasks:
        driver = PageDriver(page, scenario.server, seconds=scenario.seconds)
        loaded = driver.load(scenario.bundle.loader_file, backend, scenario.precision, examined=True)
        driver.first_run(scenario.samples[0])
        driver.hold_samples(scenario.samples)
        scenario.run(driver, WARMUP_RUNS)
    heap, before = driver.heap(), driver.read_counters()
    scenario.run(driver, scenario.runs)
    after = driver.read_counters()
    more_heap = driver.heap()
    between_stages = driver.read_between_stages(0)
    driver.dispose()
    placements = loaded.info.placement or ()
    return Profile(
        nodes=sum(max(each.count, len(each.nodes)) for each in placements),
        cpu_nodes=count_cpu_nodes(loaded.backend, placements),
        per_run=average_per_run(before, after, scenario.runs),
        growth=MemoryGrowth(
            runs=scenario.runs,
            wasm=after.wasm_bytes - before.wasm_bytes,
            gpu=after.buffer_bytes - before.buffer_bytes,
            heap=None if heap is None or more_heap is None else more_heap - heap,
        ),
        long_tasks=None if tasks is None else sum_long_tasks(tasks),
        between_stages=between_stages,
    )


def _traced(browser: DrivenBrowser, page: Any) -> AbstractContextManager[list[MainThreadTask] | None]:
    return main_thread_tasks(browser.browser, page) if isinstance(browser, BrowserHandle) else nullcontext()


def count_cpu_nodes(backend: str, placements: Sequence[ProviderNodes]) -> int | None:
    """Return the number of nodes that do not run on the backend's provider, None if the engine does not report it."""
    if not placements:
        return None
    return sum(each.count for each in summarize_placement(backend, placements) if not each.expected)


def average_per_run(before: GpuCounters, after: GpuCounters, runs: int) -> PerRun:
    """Return the difference of two counter states, divided by the number of runs."""
    return PerRun(
        dispatches=(after.dispatches - before.dispatches) / runs,
        submits=(after.submits - before.submits) / runs,
        uploads=(after.uploads - before.uploads) / runs,
        uploaded_bytes=(after.uploaded_bytes - before.uploaded_bytes) / runs,
        readbacks=(after.readbacks - before.readbacks) / runs,
        read_bytes=(after.read_bytes - before.read_bytes) / runs,
    )


def sum_long_tasks(tasks: Sequence[MainThreadTask]) -> LongTasks:
    """Summarize the tasks of a main thread."""
    beyond = [task.ms - LONG_TASK_MS for task in tasks if task.ms > LONG_TASK_MS]
    return LongTasks(
        longest=max((task.ms for task in tasks), default=0.0), tasks=len(beyond), blocking_time=sum(beyond)
    )
