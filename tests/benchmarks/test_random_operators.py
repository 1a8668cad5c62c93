"""Random operators: how outputs are judged, and the text of the document."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.random_models import report
from benchmarks.random_models.chain import make_chain
from benchmarks.random_models.report import FailedCase, ReportPart
from benchmarks.random_models.single_operator import make
from benchmarks.random_models.trial import find_problem, patch_model, run_native
from benchmarks.tiny_models import JobResult

WANT = {"y": np.array([1.0, np.nan, np.inf], np.float32), "i": np.array([2**24 + 1], np.int32)}
RIGHT = {name: array.copy() for name, array in WANT.items()}


def ended(ending: str, **changed: list[float]) -> str:
    outputs = RIGHT | {name: np.array(values, WANT[name].dtype) for name, values in changed.items()}
    problem = find_problem(WANT, JobResult(ending, "", outputs, (), ()))  # type: ignore[arg-type]
    return "" if problem is None else problem.ending


def test_an_answer_is_wrong_where_it_differs_by_more_than_the_tolerance() -> None:
    assert ended("ran") == ended("ran", y=[1.001, np.nan, np.inf]) == ""
    assert ended("ran", y=[1.01, np.nan, np.inf]) == "wrong"
    assert ended("ran", y=[1, 0, np.inf]) == ended("ran", y=[1, np.nan, 3e38]) == "wrong"
    assert ended("ran", y=[1, np.nan]) == ended("ran", i=[2**24]) == "wrong"
    assert (ended("throws"), ended("crash"), ended("no-session")) == ("throws", "throws", "no session")
    assert find_problem(WANT, JobResult("ran", "", {"y": RIGHT["y"]}, (), ())) is not None


def failing(seed: int, cure: list[str]) -> FailedCase:
    return FailedCase(seed, "Conv", "Conv-17", "wrong", "y0 is wrong", cure)


def test_a_part_that_follows_is_added_and_another_replaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(report, "DATA", tmp_path / "data.json")
    report.write("operators", ReportPart(0, 10, {"Conv": 4, "Add": 5}, [failing(3, ["split-grouped-conv"])], []))
    report.write("operators", ReportPart(10, 5, {"Conv": 3}, [failing(12, [])], [failing(12, [])]))
    told = report.read()["operators"]
    assert (told.first, told.count, told.ran) == (0, 15, {"Add": 5, "Conv": 7})
    assert [each.seed for each in told.before] == [3, 12]
    page = report.PAGE.read_text("utf-8")
    assert "12 cases, seeds 0 to 14." in page
    assert "| unchanged | 2 | 0 | 0 |" in page
    assert "| after the passes | 1 | 0 | 0 |" in page
    assert "| Conv | 7 | 2 | 1 |" in page
    assert "| Conv: wrong | 1 | `split-grouped-conv` | 3: `Conv-17` |" in page
    assert "- 12: `Conv-17` wrong: y0 is wrong" in page
    report.write("operators", ReportPart(0, 1, {"Add": 1}, [], []))
    assert report.read()["operators"].count == 1


def test_only_what_failed_is_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(report, "DATA", tmp_path / "data.json")
    bad = failing(3, ["split-grouped-conv", "canonicalize"])
    report.write("chains", ReportPart(0, 10, {"Conv": 4}, [bad, failing(4, [])], [failing(4, [])]))
    assert report.failed_seeds("chains") == [3, 4]
    report.replace_failures("chains", ReportPart(3, 2, {"Conv": 2}, [bad], []))
    assert report.read()["chains"] == ReportPart(0, 10, {"Conv": 4}, [bad], [])
    assert "| Conv: wrong | 1 | `split-grouped-conv` | 3: `Conv-17` |" in report.PAGE.read_text("utf-8")
    with pytest.raises(ValueError, match="only cases that failed"):
        report.replace_failures("chains", ReportPart(3, 2, {}, [failing(7, [])], []))


def test_a_part_of_a_chain_gives_what_the_whole_gave() -> None:
    whole = next(drawn for seed in range(20) if len((drawn := make_chain(seed)).nodes) > 3)
    part = whole.part(1, 3)
    assert [node.name for node in part.nodes] == [node.name for node in whole.nodes[1:3]]
    for name, array in run_native(part.model(), part.feeds()).items():
        np.testing.assert_allclose(array, whole.results[name], rtol=1e-5)


def test_a_seed_gives_the_case_that_was_measured() -> None:
    measured = report.read()["operators"]
    assert {"Conv", "MaxPool", "QLinearConv", "Slice"} <= set(measured.ran)
    for case in measured.before[:20]:
        assert make(case.seed).what.startswith(case.what)


def test_a_node_that_throws_on_the_gpu_is_left_to_the_cpu() -> None:
    with_indices = make(2027)
    assert with_indices.op == "MaxPool"
    made = patch_model(with_indices.model())
    assert (len(made.cpu_nodes), made.done) == (1, ["cpu-fallback"])
