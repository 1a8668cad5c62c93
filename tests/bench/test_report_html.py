"""The HTML report of a bench: self-contained, drawn to scale, and safe against markup in model and adapter names."""

from __future__ import annotations

import re

import pytest

from tests.bench.made import PROBLEM, backend, report, visit
from tests.verify.test_report_html import HOSTILE, Tags
from webbuild.bench.plot import bar, dots, load_stages
from webbuild.bench.report import BenchReport, RunTimes
from webbuild.bench.report_html import render
from webbuild.reporting.charts import linear_scale
from webbuild.verify.report import Problem


def test_hostile_strings_stay_text() -> None:
    problem = Problem(code=HOSTILE, where=HOSTILE, message=HOSTILE, fix=HOSTILE)
    frames = RunTimes(runs=(1.0,), stages={HOSTILE: (1.0,)}, fallbacks=0)
    each = backend(adapter=HOSTILE, browser=HOSTILE, engine_build=HOSTILE, run_times=frames, problems=(problem,))
    page = render(report(each, title=HOSTILE, samples=(HOSTILE,)))
    tags = Tags(page)
    assert not {"script", "img", "link", "iframe", "object", "embed", "form"} & set(tags.names)
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import|https?://", page)
    assert tags.text.count("<script>alert(1)</script>") > 6


def test_every_backend_and_every_run_is_drawn() -> None:
    page = render(report(backend(), backend(backend="wasm", adapter="")))
    assert page.count('<circle class="run"') == 8
    text = Tags(page).text
    for part in ("Benchmark", "WebGPU, first visit", "WASM, second visit", "8.4 MB", "2 of 143", "A software adapter"):
        assert part in text
    assert "2.5 (0.3 MB)" in text


def test_what_failed_is_told_with_its_mend() -> None:
    text = Tags(render(report(backend(profile=None, problems=(PROBLEM,))))).text
    for part in ("Incomplete benchmark", "console-error", "boom", "look"):
        assert part in text


@pytest.mark.parametrize(
    "empty",
    [report(), report(backend(first_load=None, second_load=None, run_times=None, profile=None))],
    ids=["none", "nothing"],
)
def test_a_report_with_nothing_in_it_renders(empty: BenchReport) -> None:
    page = render(empty)
    assert "Incomplete benchmark" in page
    assert "<svg" not in page


@pytest.mark.parametrize("largest", [0.003, 0.8, 1, 7.9, 8.1, 43, 99, 1000, 12_345.6])
def test_a_scale_holds_its_largest_value_and_has_few_round_ticks(largest: float) -> None:
    axis = linear_scale(largest)
    assert largest <= axis.end < largest * 1.6
    assert 4 <= len(axis.ticks) <= 11
    assert [at for _, at in axis.ticks][:: len(axis.ticks) - 1] == [0, 1]


def test_pieces_follow_one_another_and_end_at_the_first_result() -> None:
    drawn = bar("webgpu", "first visit", load_stages(visit()), 2000)
    assert [round(piece.start, 4) for piece in drawn.segments] == [0, 0.0025, 0.2025, 0.4525]
    assert drawn.ms == visit().first_result
    assert drawn.segments[-1].start + drawn.segments[-1].width == pytest.approx(0.5)


def test_dots_lie_where_their_runs_are() -> None:
    found = dots(backend(), 80)
    assert found is not None
    assert found.runs == (0.375, 0.125, 0.25, 0.5)
    assert (found.p50, found.p95) == (0.25, 0.5)
    assert dots(backend(run_times=None), 80) is None


@pytest.mark.parametrize(("adapter", "told"), [("llvmpipe (LLVM 15)", True), ("nvidia ampere", False)])
def test_times_of_a_software_adapter_say_nothing_about_a_gpu(adapter: str, told: bool) -> None:
    assert ("these times say nothing about a GPU" in render(report(backend(adapter=adapter)))) == told
