"""Formatting of benchmark results: one column for each browser and backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from webbuild.bench.report import BackendBench, LongTasks, MemoryGrowth, PeakMemory, PerRun, Profile
from webbuild.errors import printable
from webbuild.reporting.quantities import format_count
from webbuild.verify import formatting

Part = TypeVar("Part")
DASH = formatting.format_number(None)
_time = formatting.format_milliseconds
_BETWEEN = "read back between stages"
"""This row is only shown for models of several stages."""
_ROWS: tuple[tuple[str, Callable[[BackendBench], str]], ...] = (
    ("first visit, download", lambda each: _cell(each.first_load, lambda visit: format_megabytes(visit.bytes))),
    ("first visit, session created after", lambda each: _cell(each.first_load, lambda visit: _time(visit.session))),
    ("first visit, first result after", lambda each: _cell(each.first_load, lambda visit: _time(visit.first_result))),
    ("second visit, download", lambda each: _cell(each.second_load, lambda visit: format_megabytes(visit.bytes))),
    ("second visit, first result after", lambda each: _cell(each.second_load, lambda visit: _time(visit.first_result))),
    ("run, median (p50)", lambda each: _cell(each.run_times, lambda times: _time(times.p50))),
    ("run, 95th percentile (p95)", lambda each: _cell(each.run_times, lambda times: _time(times.p95))),
    ("nodes on the CPU", lambda each: _cell(_gpu_profile(each), _cpu_nodes)),
    (
        "dispatches per run",
        lambda each: _cell(_gpu_profile(each), lambda found: _format_average(found.per_run.dispatches)),
    ),
    ("copies to the GPU per run", lambda each: _cell(_gpu_profile(each), lambda found: _uploads(found.per_run))),
    ("copies from the GPU per run", lambda each: _cell(_gpu_profile(each), lambda found: _readbacks(found.per_run))),
    (_BETWEEN, lambda each: _cell(_gpu_profile(each), _between_stages)),
    ("main thread, longest task", lambda each: _cell(_long_tasks(each), lambda found: _time(found.longest))),
    (
        "main thread, blocked beyond 50 ms",
        lambda each: _cell(_long_tasks(each), lambda its: _time(its.blocking_time)),
    ),
    ("peak memory, JS and WASM", lambda each: _cell(each.peak_memory, _page_peak)),
    ("peak memory, GPU", lambda each: _cell(each.peak_memory, _gpu_peak)),
    ("peak memory, all", lambda each: _cell(each.peak_memory, _total_peak)),
    ("weights", lambda each: _cell(each.peak_memory, lambda found: format_megabytes(found.weights))),
    ("memory growth over all runs", lambda each: _cell(each.profile, lambda found: _format_growth(found.growth))),
)
"""Rows of the table: the title, and a function that returns a backend's cell."""


def number_rows(backends: Sequence[BackendBench]) -> list[tuple[str, list[str]]]:
    """Return the rows of the table of all numbers: (title, cells by backend)."""
    rows = [(title, [cell(each) for each in backends]) for title, cell in _ROWS]
    staged = any(each.profile and each.profile.between_stages is not None for each in backends)
    return [row for row in rows if staged or row[0] != _BETWEEN]


def _cell(part: Part | None, cell: Callable[[Part], str]) -> str:
    return DASH if part is None else cell(part)


def _long_tasks(each: BackendBench) -> LongTasks | None:
    return None if each.profile is None else each.profile.long_tasks


def _gpu_profile(each: BackendBench) -> Profile | None:
    """Return the GPU profile of a backend, None for WASM, which has none."""
    return each.profile if each.backend.startswith("webgpu") else None


def _cpu_nodes(profile: Profile) -> str:
    return DASH if profile.cpu_nodes is None else f"{profile.cpu_nodes} of {profile.nodes}"


def _page_peak(peak: PeakMemory) -> str:
    return DASH if peak.page is None else format_megabytes(peak.page)


def _gpu_peak(peak: PeakMemory) -> str:
    return _relative_to_plan(peak.gpu, peak)


def _total_peak(memory: PeakMemory) -> str:
    return DASH if memory.page is None else _relative_to_plan(memory.page + memory.gpu, memory)


def _relative_to_plan(peak: int, memory: PeakMemory) -> str:
    """Return the peak, and its ratio to the planned weights and tensors: 7.5 MB, 1.61 times the plan."""
    ratio = f", {peak / memory.planned:.2f} times the plan" if memory.planned else ""
    return f"{format_megabytes(peak)}{ratio}"


def _uploads(run: PerRun) -> str:
    return _format_transfers(run.uploads, run.uploaded_bytes)


def _readbacks(run: PerRun) -> str:
    return _format_transfers(run.readbacks, run.read_bytes)


def _between_stages(profile: Profile) -> str:
    return DASH if profile.between_stages is None else format_megabytes(profile.between_stages)


def format_stages(each: BackendBench) -> str:
    """Return the medians of a run's stages: preprocess 3.1 ms, inference 40 ms."""
    if each.run_times is None:
        return ""
    return ", ".join(
        f"{name} {formatting.format_milliseconds(each.run_times.stage(name))}" for name in each.run_times.stages
    )


def column_title(each: BackendBench) -> str:
    """Return the title of a column: the backend, and the browser if there are several."""
    name = formatting.runner_name(each.backend)
    where = (each.adapter or each.endpoint) if "://" in each.endpoint else each.endpoint
    return printable(f"{name}, {where}") if where else name


def describe_backend(each: BackendBench) -> str:
    """Return the backend, adapter, build, threads and browser of a measurement, as text."""
    threads = format_count(each.threads, "thread") if each.threads else "did not load"
    browser = f"{each.browser} at {each.endpoint}".strip() if "://" in each.endpoint else each.browser
    facts = (each.adapter, f"{each.engine_build} build" if each.engine_build else "", threads, browser)
    return f"{formatting.runner_name(each.backend)}: {', '.join(printable(fact) for fact in facts if fact)}"


def format_megabytes(count: float) -> str:
    """Format a number of bytes: 8.4 MB, 12 kB, 0."""
    if abs(count) >= 100_000:
        return f"{count / 1e6:,.1f} MB"
    return f"{count / 1e3:.1f} kB" if count else "0"


def _format_transfers(times: float, count: float) -> str:
    """Format the number of transfers and their bytes: 3 (1.2 MB)."""
    return f"{_format_average(times)} ({format_megabytes(count)})" if times else "0"


def _format_growth(grown: MemoryGrowth) -> str:
    """Format the memory growth of WASM, GPU and JS, leaving out zero and unknown ones; 0 if none is left."""
    parts = (("WASM", grown.wasm), ("GPU", grown.gpu), ("JS", grown.heap))
    listed = [f"{name} {format_megabytes(value)}" for name, value in parts if value]
    return ", ".join(listed) or "0"


def _format_average(value: float) -> str:
    """Format an average: 143, or 143.5 if it is not an integer."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
