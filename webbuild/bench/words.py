"""What was measured, as people read it: one row of words for each browser and backend."""

from __future__ import annotations

from webbuild.bench.report import BackendBench, Growth
from webbuild.errors import printable
from webbuild.verify import words

DASH = words.number(None)
TIMES = ("bytes", "second visit", "session", "first result", "second visit", "p50", "p95")
COSTS = ("nodes off it", "dispatches", "to the GPU", "back", "longest task", "beyond 50 ms", "growth")


def times(each: BackendBench) -> list[str]:
    """Return the cells of `TIMES`."""
    first, second, frames = each.first, each.second, each.frames
    return [
        DASH if first is None else megabytes(first.bytes),
        DASH if second is None else megabytes(second.bytes),
        words.milliseconds(None if first is None else first.session),
        words.milliseconds(None if first is None else first.first_result),
        words.milliseconds(None if second is None else second.first_result),
        words.milliseconds(None if frames is None else frames.p50),
        words.milliseconds(None if frames is None else frames.p95),
    ]


def costs(each: BackendBench) -> list[str]:
    """Return the cells of `COSTS`: a run's, but for those of the main thread and the growth."""
    found = each.examined
    if found is None:
        return [DASH] * len(COSTS)
    off = DASH if found.cpu_nodes is None else f"{found.cpu_nodes} of {found.nodes}"
    asked, gpu = found.per_frame, each.backend.startswith("webgpu")
    return [
        off,
        rounded(asked.dispatches) if gpu else DASH,
        moved(asked.uploads, asked.uploaded_bytes) if gpu else DASH,
        moved(asked.readbacks, asked.read_bytes) if gpu else DASH,
        words.milliseconds(found.blocking.longest),
        words.milliseconds(found.blocking.beyond),
        growth(found.growth),
    ]


def stages(each: BackendBench) -> str:
    """Return the medians of a run's stages: preprocess 3.1 ms, inference 40 ms."""
    if each.frames is None:
        return ""
    return ", ".join(f"{name} {words.milliseconds(each.frames.stage(name))}" for name in each.frames.stages)


def row(each: BackendBench) -> str:
    """Return what a row of a table is of: the backend and, of a browser elsewhere, the adapter or the address."""
    name = words.name(each.backend)
    return printable(f"{name}, {each.adapter or each.where}") if each.where else name


def where(each: BackendBench) -> str:
    """Return what was measured in: the backend, the adapter, the build and its threads; and which browser elsewhere."""
    threads = f"{each.threads} thread{'' if each.threads == 1 else 's'}" if each.threads else "did not load"
    browser = f"{each.browser} at {each.where}".strip() if each.where else ""
    facts = (each.adapter, f"{each.engine_build} build" if each.engine_build else "", threads, browser)
    return f"{words.name(each.backend)}: {', '.join(printable(fact) for fact in facts if fact)}"


def megabytes(count: float) -> str:
    """Return bytes: 8.4 MB, 12 kB, 0."""
    if abs(count) >= 100_000:
        return f"{count / 1e6:,.1f} MB"
    return f"{count / 1e3:.1f} kB" if count else "0"


def moved(times: float, count: float) -> str:
    """Return how often and how much: 3, 1.2 MB."""
    return f"{rounded(times)}, {megabytes(count)}" if times else "0"


def growth(grown: Growth) -> str:
    """Return what grew, or that nothing did, and what is not known."""
    parts = (("WASM", grown.wasm), ("GPU", grown.gpu), ("JS", grown.heap))
    told = [f"{name} {megabytes(value)}" for name, value in parts if value]
    return ", ".join(told) or "0"


def rounded(value: float) -> str:
    """Return an average: 143, or 143.5 where it is no whole number."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
