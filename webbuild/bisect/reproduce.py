"""Reproduces a finding in its own session, with the placement that the engine logs."""

from __future__ import annotations

import msgspec

from webbuild.bisect.culprit import Culprit
from webbuild.bisect.subgraph_runner import SubgraphRunner, failed_result
from webbuild.ortweb.placement_log import slowest_placement
from webbuild.subgraph.extract import Subgraph
from webbuild.subgraph.graph import ModelGraph

MAX_NODES = 5
"""Maximum number of nodes of a reproduction."""


def reproduce(runner: SubgraphRunner, culprit: Culprit) -> Culprit:
    """Return a finding reproduced with its piece alone, else with the fewest other nodes in the session."""
    reproduced = _reproduce_alone(runner, culprit, culprit.subgraph)
    if reproduced is None and culprit.code == "node-mismatch":
        reproduced = _find_interaction(runner, culprit) or _reproduce_alone(
            runner, culprit, _with_producers(runner.graph, culprit.subgraph)
        )
    return reproduced or msgspec.structs.replace(culprit, reproduced=False)


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
    """Return a node that is wrong only next to another node with its operator, and that node: they share a shader."""
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
    both = _reproduce_alone(runner, culprit, tuple(sorted({*others, *culprit.subgraph})))
    return None if both is None else msgspec.structs.replace(both, code="shader-cache-interaction")


def _differs(runner: SubgraphRunner, culprit: Culprit, others: list[int]) -> bool:
    """Whether a piece differs with other nodes in its session, if all take the reference's values."""
    tried = runner.run_each(
        sorted([*((index,) for index in others), culprit.subgraph])
    )  # sorted, because the order may matter
    return any(each.subgraph == culprit.subgraph and each.verdict == "differs" for each in tried)


def _with_producers(graph: ModelGraph, piece: Subgraph) -> Subgraph:
    """Return a piece with the nodes that compute its inputs."""
    makers = {graph.producer[name] for index in piece for name in graph.reads[index] if name in graph.producer}
    return tuple(sorted({*piece, *makers}))
