"""The choice of the NMS form (shader or graph), with a fake clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from webbuild.bench.nms_forms import TURNS, Bench, choose_form, measure_forms
from webbuild.bench.report import (
    BackendBench,
    BenchReport,
    Environment,
    LongTasks,
    MemoryGrowth,
    PerRun,
    Profile,
    RunTimes,
)
from webbuild.verify.report import Problem

SHADER, GRAPH = Path("shader"), Path("graph")


def report(milliseconds: float, kernels: float, adapter: str, *problems: Problem) -> BenchReport:
    per_run = PerRun(dispatches=kernels, submits=1, uploads=1, uploaded_bytes=1, readbacks=1, read_bytes=1)
    profile = Profile(1, 0, per_run, MemoryGrowth(1, 0, 0, None), LongTasks(0, 0, 0))
    runs = None if problems else RunTimes((milliseconds,) * 3, {}, 0)
    row = BackendBench(
        adapter=adapter, endpoint="", backend="webgpu", run_times=runs, profile=profile, problems=problems
    )
    return BenchReport("m", "m", Environment("1", "e", "p"), (), (row,))


def clock(shader: list[float], graph: list[float], adapter: str = "a card") -> Bench:
    """Return a bench that reports these milliseconds, one for each turn."""
    times: dict[Path, Iterator[float]] = {SHADER: iter(shader), GRAPH: iter(graph)}
    kernels = {SHADER: 190.0, GRAPH: 306.0}
    return lambda folder: report(next(times[folder]), kernels[folder], adapter)


@pytest.mark.parametrize(
    ("shader", "graph", "taken"),
    [
        ([10, 10, 10], [10, 10, 10], "shader"),
        ([10, 10, 10], [20, 20, 20], "shader"),
        ([10, 10, 10], [9.1, 9.1, 9.1], "shader"),
        ([10, 10, 10], [9, 9, 9], "gpu"),
        ([10, 30, 10], [9, 9, 9.5], "shader"),
        ([10, 11, 12], [5, 6, 5], "gpu"),
    ],
)
def test_the_graph_is_taken_only_where_it_is_clearly_faster_in_every_turn(
    shader: list[float], graph: list[float], taken: str
) -> None:
    choice = choose_form(measure_forms(SHADER, GRAPH, clock(shader, graph)))
    assert choice.nms == taken
    assert choice.reason == (
        f"measured on a card: {sorted(shader)[1]:.2f} ms and 190 kernels a run in the shader, "
        f"{sorted(graph)[1]:.2f} ms and 306 kernels a run in the graph"
    )


def test_the_forms_take_turns() -> None:
    asked: list[Path] = []
    bench = clock([10] * TURNS, [10] * TURNS)

    def heard(folder: Path) -> BenchReport:
        asked.append(folder)
        return bench(folder)

    measure_forms(SHADER, GRAPH, heard)
    assert asked == [SHADER, GRAPH] * TURNS


def test_a_software_adapter_decides_nothing() -> None:
    choice = choose_form(measure_forms(SHADER, GRAPH, clock([10], [1], "llvmpipe (LLVM 15)")))
    assert (choice.nms, choice.reason) == ("shader", "a rule, not measured: llvmpipe (LLVM 15) computes on the CPU")


def test_what_keeps_it_from_being_measured_is_told() -> None:
    problem = Problem(code="no-adapter", where="webgpu", message="chromium: no WebGPU adapter", fix="")
    choice = choose_form(measure_forms(SHADER, GRAPH, lambda _: report(1, 1, "", problem)))
    assert (choice.nms, choice.reason) == ("shader", "a rule, not measured: chromium: no WebGPU adapter")
