"""A finding seen once more in a session of its own, with what the engine says of its place."""

from __future__ import annotations

import msgspec

from webbuild.bisect.culprit import Culprit
from webbuild.bisect.subgraph_runner import SubgraphRunner, failed_result
from webbuild.ortweb.placement_log import slowest_placement
from webbuild.subgraph.extract import Subgraph
from webbuild.subgraph.graph import ModelGraph

MAX_NODES = 5
"""Nodes of a cut that is kept."""


def reproduce(tester: SubgraphRunner, found: Culprit) -> Culprit:
    """Return a finding as its piece shows it alone; where it does not, with the fewest other nodes beside it."""
    seen = _reproduce_alone(tester, found, found.subgraph)
    if seen is None and found.code == "node-mismatch":
        seen = _find_interaction(tester, found) or _reproduce_alone(
            tester, found, _with_producers(tester.graph, found.subgraph)
        )
    return seen or msgspec.structs.replace(found, reproduced=False)


def _reproduce_alone(tester: SubgraphRunner, found: Culprit, piece: Subgraph) -> Culprit | None:
    if len(piece) > max(MAX_NODES, len(found.subgraph)):
        return None
    session = tester.run_session([piece], verbose=True)
    tried = session.results[0] if session.results else failed_result(piece, session.run)
    if tried.verdict != found.result.verdict:
        return None
    place = slowest_placement(session.run.log)[0] or ""
    return msgspec.structs.replace(found, subgraph=piece, result=tried, placement=place)


def _find_interaction(tester: SubgraphRunner, found: Culprit) -> Culprit | None:
    """Return a node that is wrong only beside another of its operator, with that one: they share what is compiled."""
    graph = tester.graph
    operators = {graph.nodes[index].op_type for index in found.subgraph}
    others = [
        index for index, node in enumerate(graph.nodes) if node.op_type in operators and index not in found.subgraph
    ]
    if not others or not _differs(tester, found, others):
        return None
    while len(others) > 1:
        half = others[: len(others) // 2]
        others = half if _differs(tester, found, half) else others[len(others) // 2 :]
    seen = _reproduce_alone(tester, found, tuple(sorted({*others, *found.subgraph})))
    return None if seen is None else msgspec.structs.replace(seen, code="shader-cache-interaction")


def _differs(tester: SubgraphRunner, found: Culprit, others: list[int]) -> bool:
    """Whether a piece differs with other nodes in its session, each fed with the reference's values."""
    tried = tester.run_each(
        sorted([*((index,) for index in others), found.subgraph])
    )  # which of them comes first may matter
    return any(each.subgraph == found.subgraph and each.verdict == "differs" for each in tried)


def _with_producers(graph: ModelGraph, piece: Subgraph) -> Subgraph:
    """Return a piece with the nodes that compute what it is fed."""
    makers = {graph.producer[name] for index in piece for name in graph.reads[index] if name in graph.producer}
    return tuple(sorted({*piece, *makers}))
