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


def reproduce(runner: SubgraphRunner, culprit: Culprit) -> Culprit:
    """Return a finding as its piece shows it alone; where it does not, with the fewest other nodes beside it."""
    seen = _reproduce_alone(runner, culprit, culprit.subgraph)
    if seen is None and culprit.code == "node-mismatch":
        seen = _find_interaction(runner, culprit) or _reproduce_alone(
            runner, culprit, _with_producers(runner.graph, culprit.subgraph)
        )
    return seen or msgspec.structs.replace(culprit, reproduced=False)


def _reproduce_alone(runner: SubgraphRunner, culprit: Culprit, piece: Subgraph) -> Culprit | None:
    if len(piece) > max(MAX_NODES, len(culprit.subgraph)):
        return None
    session = runner.run_session([piece], verbose=True)
    tried = session.results[0] if session.results else failed_result(piece, session.run)
    if tried.verdict != culprit.result.verdict:
        return None
    placement = slowest_placement(session.run.log)[0] or ""
    return msgspec.structs.replace(culprit, subgraph=piece, result=tried, placement=placement)


def _find_interaction(runner: SubgraphRunner, culprit: Culprit) -> Culprit | None:
    """Return a node that is wrong only beside another of its operator, with that one: they share what is compiled."""
    graph = runner.graph
    operators = {graph.nodes[index].op_type for index in culprit.subgraph}
    others = [
        index for index, node in enumerate(graph.nodes) if node.op_type in operators and index not in culprit.subgraph
    ]
    if not others or not _differs(runner, culprit, others):
        return None
    while len(others) > 1:
        half = others[: len(others) // 2]
        others = half if _differs(runner, culprit, half) else others[len(others) // 2 :]
    seen = _reproduce_alone(runner, culprit, tuple(sorted({*others, *culprit.subgraph})))
    return None if seen is None else msgspec.structs.replace(seen, code="shader-cache-interaction")


def _differs(runner: SubgraphRunner, culprit: Culprit, others: list[int]) -> bool:
    """Whether a piece differs with other nodes in its session, each fed with the reference's values."""
    tried = runner.run_each(
        sorted([*((index,) for index in others), culprit.subgraph])
    )  # which of them comes first may matter
    return any(each.subgraph == culprit.subgraph and each.verdict == "differs" for each in tried)


def _with_producers(graph: ModelGraph, piece: Subgraph) -> Subgraph:
    """Return a piece with the nodes that compute what it is fed."""
    makers = {graph.producer[name] for index in piece for name in graph.reads[index] if name in graph.producer}
    return tuple(sorted({*piece, *makers}))
