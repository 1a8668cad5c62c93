"""Planted faults: each is found exactly, in few sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bisect.generated import branches, decision, feeds, graph
from tests.bisect.planted import Fault, Mutate, constant, overflow, swapped, trying_with
from webbuild.bisect import smallest_group
from webbuild.bisect.search import search_culprits

LONG, WIDE = (40,), (17, 23, 9)
VALUES: dict[str, Mutate] = {"constant": constant(1.5), "swapped": swapped, "overflow": overflow}
PLACES = {
    "start": (LONG, 0),
    "early": (LONG, 3),
    "middle": (LONG, 20),
    "late": (LONG, 36),
    "end": (LONG, 39),
    "first of a branch": (WIDE, 1),
    "inside a branch": (WIDE, 22),
    "end of a branch": (WIDE, 26),
    "where branches meet": (WIDE, 49),
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("place", PLACES)
def test_a_wrong_answer_is_blamed_on_its_node(kind: str, place: str, tmp_path: Path) -> None:
    lengths, node = PLACES[place]
    made = graph(branches(lengths))
    trying, engine = trying_with(made, feeds("x"), tmp_path, [Fault(node, VALUES[kind])])
    result = search_culprits(trying)
    assert [(each.code, each.subgraph, each.node, each.downstream) for each in result.culprits] == [
        ("node-mismatch", (node,), node, False)
    ]
    assert result.culprits[0].reproduced
    assert result.sessions == engine.sessions <= 6


CODES = {
    "throws": "node-throws",
    "no-session": "node-session-failure",
    "hang": "node-hangs",
    "crash": "node-crashes",
}
ENDS = [*(("throws", place) for place in PLACES), *(("no-session", place) for place in PLACES)]


@pytest.mark.parametrize(("ending", "place"), [*ENDS, ("hang", "middle"), ("crash", "inside a branch")])
@pytest.mark.parametrize("tells", [True, False], ids=["named", "not named"])
def test_what_fails_is_blamed_on_its_node(ending: str, place: str, tells: bool, tmp_path: Path) -> None:
    lengths, node = PLACES[place]
    fault = Fault(node, ending=ending, tells=tells)  # type: ignore[arg-type]
    result = search_culprits(trying_with(graph(branches(lengths)), feeds("x"), tmp_path, [fault])[0])
    assert [(each.code, each.subgraph, each.node) for each in result.culprits] == [(CODES[ending], (node,), node)]
    assert result.sessions <= (4 if tells else 12)


def test_every_branch_has_its_first(tmp_path: Path) -> None:
    faults = [Fault(4, constant(1.5)), Fault(20, swapped), Fault(25, constant(0.5)), Fault(22, overflow)]
    result = search_culprits(trying_with(graph(branches(WIDE)), feeds("x"), tmp_path, faults)[0])
    assert [(each.node, each.downstream) for each in result.culprits] == [
        (4, False),
        (20, False),
        (22, True),
        (25, True),
    ]


def test_what_fails_does_not_hide_what_is_wrong(tmp_path: Path) -> None:
    faults = [Fault(5, ending="throws"), Fault(31, ending="no-session"), Fault(12, swapped)]
    result = search_culprits(trying_with(graph(branches(LONG)), feeds("x"), tmp_path, faults)[0])
    assert [(each.code, each.node) for each in result.culprits] == [
        ("node-throws", 5),
        ("node-mismatch", 12),
        ("node-session-failure", 31),
    ]


def test_nothing_differs(tmp_path: Path) -> None:
    result = search_culprits(trying_with(graph(branches(WIDE)), feeds("x"), tmp_path, [])[0])
    assert (result.culprits, result.sessions, result.compared_values) == ((), 1, 1)


@pytest.mark.parametrize("node", [0, 13, 38])
def test_two_nodes_fused(node: int, tmp_path: Path) -> None:
    fault = Fault(node, constant(1.5), fused=node + 1)
    result = search_culprits(trying_with(graph(branches(LONG)), feeds("x"), tmp_path, [fault])[0])
    assert [(each.code, each.subgraph, each.node) for each in result.culprits] == [
        ("fusion-mismatch", (node, node + 1), None)
    ]


@pytest.mark.parametrize(("node", "other"), [(6, 36), (31, 1)])
def test_a_node_that_is_wrong_beside_another(node: int, other: int, tmp_path: Path) -> None:
    fault = Fault(node, constant(1.5), beside=other)  # both are Sin
    result = search_culprits(trying_with(graph(branches(LONG)), feeds("x"), tmp_path, [fault])[0])
    assert [(each.code, each.subgraph) for each in result.culprits] == [
        ("shader-cache-interaction", tuple(sorted((node, other))))
    ]
    assert result.sessions <= 14


@pytest.mark.parametrize(("node", "other"), [(12, 36), (30, 2)])
def test_a_pair_that_is_wrong_fused_and_beside_another_is_named_with_it(node: int, other: int, tmp_path: Path) -> None:
    fault = Fault(node, constant(1.5), fused=node + 1, beside=other)
    result = search_culprits(trying_with(graph(branches(LONG)), feeds("x"), tmp_path, [fault])[0])
    assert [(each.code, each.subgraph, each.node) for each in result.culprits] == [
        ("fusion-mismatch", tuple(sorted((node, node + 1, other))), None)
    ]
    assert result.sessions <= 60


def test_where_sessions_run_out_what_is_left_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smallest_group, "MAX_GROUP_SESSIONS", 5)
    fault = Fault(12, constant(1.5), fused=13, beside=36)
    result = search_culprits(trying_with(graph(branches(LONG)), feeds("x"), tmp_path, [fault])[0])
    (found,) = result.culprits
    assert found.code == "joint-mismatch"
    assert {12, 13, 36} <= set(found.subgraph)
    assert len(found.subgraph) < LONG[0]


def test_small_errors_that_add_up(tmp_path: Path) -> None:
    faults = [Fault(node, constant(1 + 2e-5)) for node in range(40)]
    result = search_culprits(trying_with(graph(branches(LONG)), feeds("x"), tmp_path, faults)[0])
    assert [(each.code, each.node) for each in result.culprits] == [("error-accumulation", None)]
    errors = [depth.error for depth in result.depth_errors if depth.error is not None]
    assert len(errors) == 32
    assert errors[-1] > 3 * errors[3] > 0


def test_a_decision_that_a_small_error_turns_is_no_rounding(tmp_path: Path) -> None:
    decided = decision(branches((20,)), feeds("x"))
    result = search_culprits(trying_with(graph(decided), feeds("x"), tmp_path, [Fault(19, constant(1 + 1e-5))])[0])
    assert [(each.code, each.subgraph, each.node) for each in result.culprits] == [("joint-mismatch", (19, 20), None)]
    assert result.depth_errors == ()


@pytest.mark.parametrize("fault", [Fault(1234, swapped), Fault(2499, constant(1.1)), Fault(7, ending="throws")])
def test_2500_nodes_in_at_most_25_sessions(fault: Fault, tmp_path: Path) -> None:
    made = graph(branches((500, 700, 600, 699)))
    assert len(made.nodes) == 2500
    trying, engine = trying_with(made, feeds("x"), tmp_path, [fault])
    result = search_culprits(trying)
    assert [each.node for each in result.culprits] == [fault.node]
    assert engine.sessions <= (6 if fault.mutate else 15)


@pytest.mark.parametrize("tells", [True, False])
def test_many_faults_in_2500_nodes_in_at_most_25_sessions(tells: bool, tmp_path: Path) -> None:
    made = graph(branches((100,) * 25))
    fails = [Fault(node, ending="throws", tells=tells) for node in (111, 999, 1999)]
    wrong = [Fault(node, swapped) for node in range(1200, 1210)]
    trying, engine = trying_with(made, feeds("x"), tmp_path, [*fails, *wrong])
    result = search_culprits(trying)
    told = [each.node for each in result.culprits]
    assert told == ([111, 999, *range(1200, 1210), 1999] if tells else [111])
    assert bool(result.unfinished) != tells
    assert engine.sessions <= 25


def test_little_room_means_more_sessions_and_the_same_answer(tmp_path: Path) -> None:
    trying, engine = trying_with(graph(branches(WIDE)), feeds("x"), tmp_path, [Fault(30, swapped)], room=600, batch=300)
    result = search_culprits(trying)
    assert [each.node for each in result.culprits] == [30]
    assert engine.sessions > 6
