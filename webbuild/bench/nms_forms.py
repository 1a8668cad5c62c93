"""Measures which form of non-maximum suppression is faster on this machine's GPU: the runtime's shader or the graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from webbuild.bench.report import BenchReport
from webbuild.browser.gpu_adapter import is_software
from webbuild.passes.base import NmsPlacement

TURNS, RUNS = 3, 10
"""Number of turns, and runs per turn. The forms alternate, so that other load on the machine affects both."""
_MARGIN = 0.9
"""The graph is chosen if each of its turns takes at most this fraction of the shader's time: noise does not decide."""

Bench = Callable[[Path], BenchReport]


class FormTimes(Struct, frozen=True):
    """Median milliseconds of a run in each turn, the number of kernels per run, and the adapter."""

    medians: list[float]
    kernels: float
    adapter: str


class NmsChoice(Struct, frozen=True):
    """The chosen form, and the reason."""

    nms: NmsPlacement
    reason: str


def measure_forms(shader: Path, graph: Path, bench: Bench) -> tuple[FormTimes, FormTimes] | str:
    """Measure two bundles of a model in turns; return the reason as text if nothing could be measured."""
    form_times: dict[Path, FormTimes] = {}
    for _ in range(TURNS):
        for folder in (shader, graph):
            report = bench(folder)
            row = report.backends[0] if report.backends else None
            if row is None or row.run_times is None or not row.run_times.runs or row.profile is None:
                problems = report.problems()
                return problems[0].message if problems else "nothing was measured"
            if is_software(row.adapter):
                return f"{row.adapter} computes on the CPU"
            times = form_times.setdefault(folder, FormTimes([], row.profile.per_run.dispatches, row.adapter))
            times.medians.append(row.run_times.p50)
    return form_times[shader], form_times[graph]


def choose_form(measured: tuple[FormTimes, FormTimes] | str) -> NmsChoice:
    """Return the shader, unless the graph is clearly faster in every turn."""
    if isinstance(measured, str):
        return NmsChoice("shader", f"a rule, not measured: {measured}")
    shader, graph = measured
    faster = all(in_graph <= _MARGIN * other for in_graph, other in zip(graph.medians, shader.medians, strict=True))
    figures = [
        f"{sorted(each.medians)[len(each.medians) // 2]:.2f} ms and {each.kernels:.0f} kernels a run {where}"
        for each, where in ((shader, "in the shader"), (graph, "in the graph"))
    ]
    return NmsChoice("gpu" if faster else "shader", f"measured on {shader.adapter}: {', '.join(figures)}")
