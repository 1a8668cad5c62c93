"""Formatted benchmark results: one row for each browser and backend."""

from __future__ import annotations

from webbuild.bench.report import BackendBench, MemoryGrowth
from webbuild.errors import printable
from webbuild.verify import formatting

DASH = formatting.format_number(None)
TIMING_COLUMNS = ("bytes", "second visit", "session", "first result", "second visit", "p50", "p95")
COST_COLUMNS = ("nodes off it", "dispatches", "to the GPU", "back", "longest task", "beyond 50 ms", "growth")


def timing_cells(each: BackendBench) -> list[str]:
    """Return the cells of `TIMING_COLUMNS`."""
    first, second, frames = each.first_load, each.second_load, each.run_times
    return [
        DASH if first is None else format_megabytes(first.bytes),
        DASH if second is None else format_megabytes(second.bytes),
        formatting.format_milliseconds(None if first is None else first.session),
        formatting.format_milliseconds(None if first is None else first.first_result),
        formatting.format_milliseconds(None if second is None else second.first_result),
        formatting.format_milliseconds(None if frames is None else frames.p50),
        formatting.format_milliseconds(None if frames is None else frames.p95),
    ]


def cost_cells(each: BackendBench) -> list[str]:
    """Return the cells of `COST_COLUMNS`: a run's, but for those of the main thread and the growth."""
    found = each.profile
    if found is None:
        return [DASH] * len(COST_COLUMNS)
    off = DASH if found.cpu_nodes is None else f"{found.cpu_nodes} of {found.nodes}"
    asked, gpu = found.per_run, each.backend.startswith("webgpu")
    return [
        off,
        format_average(asked.dispatches) if gpu else DASH,
        format_transfers(asked.uploads, asked.uploaded_bytes) if gpu else DASH,
        format_transfers(asked.readbacks, asked.read_bytes) if gpu else DASH,
        formatting.format_milliseconds(found.long_tasks.longest),
        formatting.format_milliseconds(found.long_tasks.blocking_time),
        format_growth(found.growth),
    ]


def format_stages(each: BackendBench) -> str:
    """Return the medians of a run's stages: preprocess 3.1 ms, inference 40 ms."""
    if each.run_times is None:
        return ""
    return ", ".join(
        f"{name} {formatting.format_milliseconds(each.run_times.stage(name))}" for name in each.run_times.stages
    )


def row_title(each: BackendBench) -> str:
    """Return what a row of a table is of: the backend and, of a browser elsewhere, the adapter or the address."""
    name = formatting.runner_name(each.backend)
    return printable(f"{name}, {each.adapter or each.endpoint}") if each.endpoint else name


def describe_backend(each: BackendBench) -> str:
    """Return what was measured in: the backend, the adapter, the build and its threads; and which browser elsewhere."""
    threads = f"{each.threads} thread{'' if each.threads == 1 else 's'}" if each.threads else "did not load"
    browser = f"{each.browser} at {each.endpoint}".strip() if each.endpoint else ""
    facts = (each.adapter, f"{each.engine_build} build" if each.engine_build else "", threads, browser)
    return f"{formatting.runner_name(each.backend)}: {', '.join(printable(fact) for fact in facts if fact)}"


def format_megabytes(count: float) -> str:
    """Return bytes: 8.4 MB, 12 kB, 0."""
    if abs(count) >= 100_000:
        return f"{count / 1e6:,.1f} MB"
    return f"{count / 1e3:.1f} kB" if count else "0"


def format_transfers(times: float, count: float) -> str:
    """Return how often and how much: 3, 1.2 MB."""
    return f"{format_average(times)}, {format_megabytes(count)}" if times else "0"


def format_growth(grown: MemoryGrowth) -> str:
    """Return what grew, or that nothing did, and what is not known."""
    parts = (("WASM", grown.wasm), ("GPU", grown.gpu), ("JS", grown.heap))
    listed = [f"{name} {format_megabytes(value)}" for name, value in parts if value]
    return ", ".join(listed) or "0"


def format_average(value: float) -> str:
    """Return an average: 143, or 143.5 where it is no whole number."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
