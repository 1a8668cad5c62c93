"""Nodes that float16 computes wrongly stay in float32, exactly those, and the rest is float16."""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir
import pytest

from tests.precision.trapped import network, searched
from webbuild.precision.budget import SearchBudget
from webbuild.precision.search import KEPT_BY_SEARCH, SearchResult

EXP = network("[grow] e = Mul (a, fifteen)\n[exp] f = Exp (e)\n[log] b = Log (f)", "float fifteen = {15}")
MASK = network("[mask] m = Where (hidden, never, a)\n[look] b = Softmax (m)",
               "float never = {-1e9}, bool[1,16] hidden = {1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}")  # fmt: skip
EPSILON = network(
    "[less] z = Mul (a, tiny)\n[safe] e = Add (z, epsilon)\n[divide] g = Div (a, e)\n[least] b = Min (g, ten)",
    "float tiny = {0.001}, float epsilon = {1e-7}, float ten = {10}",
)
PLACES = network("", "float size = {4096}", end="[fraction] s = Sigmoid (d)\n[place] y = Mul (s, size)")
ROW = network("[row] r = Reshape (a, flat)\n[softmax] s = Softmax (r)\n[square] b = Reshape (s, back)",
              "int64[2] flat = {1, 4096}, int64[2] back = {256, 16}", "256,16")  # fmt: skip
VARIANCE = network(
    "[scale] q = Mul (a, large)\n[mean] m = ReduceMean <axes = [-1]> (q)\n[centre] d0 = Sub (q, m)\n"
    "[square] s = Mul (d0, d0)\n[variance] v = ReduceMean <axes = [-1]> (s)\n[root] r = Sqrt (v)\n"
    "[norm] b = Div (d0, r)",
    "float large = {1500}",
)
CANCELLED = network(
    "[up] u = Add (a, thousand)\n[same] v = Relu (u)\n[down] b = Sub (v, thousand)", "float thousand = {1000}"
)
TRAPS = {
    "an exp that overflows": (EXP, {"exp", "log"}),
    "a mask of -1e9": (MASK, set()),
    "an epsilon that vanishes": (EPSILON, {"less", "safe", "divide"}),
    "coordinates above 2048": (PLACES, {"place"}),
    "a softmax over a long row": (ROW, {"softmax"}),
    "a variance": (VARIANCE, {"square", "variance", "root"}),
    "digits that cancel": (CANCELLED, {"up", "same", "down"}),
    "no trap": (network(""), set()),
}


@pytest.fixture(scope="module")
def cancelled(tmp_path_factory: pytest.TempPathFactory) -> SearchResult:
    return searched(CANCELLED, tmp_path_factory.mktemp("cancelled"))


@pytest.mark.parametrize("name", TRAPS)
def test_exactly_the_trap_is_kept(name: str, cancelled: SearchResult, tmp_path: Path) -> None:
    model, wanted = TRAPS[name]
    found = cancelled if model is CANCELLED else searched(model, tmp_path)
    assert found.best is not None
    assert set(found.best.fp32_reasons) == wanted, found.best.fp32_reasons
    assert found.fraction in [each.fraction for each in found.evaluations if not each.mismatch]
    assert not found.stop_reason


def test_what_only_a_run_can_tell_takes_few_runs(cancelled: SearchResult) -> None:
    found = cancelled
    assert found.best is not None
    assert {found.best.fp32_reasons[name] for name in ("up", "down")} == {KEPT_BY_SEARCH}
    assert 1 < len(found.evaluations) <= 13


def test_two_searches_find_the_same(cancelled: SearchResult, tmp_path: Path) -> None:
    one, other = cancelled, searched(CANCELLED, tmp_path)
    assert one.evaluations == other.evaluations
    assert one.best is not None
    assert other.best is not None
    assert ir.to_proto(one.best.model) == ir.to_proto(other.best.model)


def test_a_spent_budget_keeps_what_was_right_and_says_so(tmp_path: Path) -> None:
    found = searched(CANCELLED, tmp_path, SearchBudget(evaluations=3))
    assert "3 evaluations" in found.stop_reason
    assert len(found.evaluations) == 3
    assert found.best is not None
    assert {"up", "down"} <= set(found.best.fp32_reasons)


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (SearchBudget(gmacs=4e-5), "its budget of 4e-05 billion multiplications was spent"),
        (
            SearchBudget(seconds=1e-9),
            "its limit of 1e-09 seconds was reached, so another machine may find another graph",
        ),
    ],
    ids=["multiplications", "seconds"],
)
def test_a_search_says_which_limit_ended_it(budget: SearchBudget, reason: str, tmp_path: Path) -> None:
    found = searched(CANCELLED, tmp_path, budget)
    assert found.stop_reason == reason
    assert len(found.evaluations) < 13


def test_the_whole_or_nothing_searches_nothing(tmp_path: Path) -> None:
    found = searched(CANCELLED, tmp_path, whole=True)
    assert found.best is None
    assert len(found.evaluations) == 1
    assert found.evaluations[0].mismatch
