"""Plots of the benchmark page: bars of stages, and a dot for every run, as fractions of a scale."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from webbuild.bench.report import BackendBench, PageLoad


class BarSegment(Struct, frozen=True):
    """A stage in a bar: its start and width as fractions of the scale; `tone` is its index."""

    label: str
    ms: float
    start: float
    width: float
    tone: int


class Bar(Struct, frozen=True):
    """A bar of consecutive stages of a runner; `ms` is their total."""

    runner: str
    label: str
    ms: float
    segments: tuple[BarSegment, ...]


class RunDots(Struct, frozen=True):
    """The runs of a backend in order, and their percentiles, as positions on the scale."""

    runner: str
    runs: tuple[float, ...]
    p50: float
    p95: float


def bar(runner: str, label: str, stages: Mapping[str, float], end: float) -> Bar:
    """Lay out consecutive stages on a scale that ends at `end` milliseconds."""
    pieces, at = [], 0.0
    for tone, (name, ms) in enumerate(stages.items()):
        pieces.append(BarSegment(name, ms, at / end, max(ms, 0.0) / end, tone))
        at += max(ms, 0.0)
    return Bar(runner, label, at, tuple(pieces))


def load_stages(visit: PageLoad) -> dict[str, float]:
    """Return the stages from the loader's request to the first result; their sum is `first_result`."""
    return {
        "the loader": visit.imported,
        "engine, weights, session": visit.session - visit.imported,
        "self-test, warm-up": visit.loaded - visit.session,
        "the first run": visit.first_run,
    }


def dots(each: BackendBench, end: float) -> RunDots | None:
    """Lay out a backend's runs on a scale; None without runs."""
    frames = each.run_times
    if frames is None or not frames.runs:
        return None
    return RunDots(each.backend, tuple(ms / end for ms in frames.runs), frames.p50 / end, frames.p95 / end)
