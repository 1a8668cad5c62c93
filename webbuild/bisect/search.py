"""The search: the whole graph first, then pieces of it, each with the reference's values as inputs."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from webbuild.bisect.bisect_failure import FailureSearch
from webbuild.bisect.bisect_mismatch import find_mismatches
from webbuild.bisect.culprit import BisectResult, Culprit
from webbuild.bisect.error_by_depth import error_by_depth
from webbuild.bisect.fusion_mismatch import find_joint_mismatch
from webbuild.bisect.partition_points import PartitionPoints
from webbuild.bisect.reproduce import reproduce
from webbuild.bisect.smallest_group import find_smallest_group
from webbuild.bisect.subgraph_runner import SubgraphRunner
from webbuild.bisect.trial_result import SubgraphResult
from webbuild.subgraph.extract import Subgraph
from webbuild.subgraph.graph import ModelGraph

_MAX_FAILING_NODES = 4
"""Maximum number of failing nodes (that throw, or without a session) to search for."""
_MAX_SESSIONS = 20
"""Sessions after which no further failing node is searched for; the rest is left for nodes with wrong outputs."""
MAX_REPRODUCED = 5
"""Maximum number of findings to reproduce, each in its own session."""


def search_culprits(runner: SubgraphRunner) -> BisectResult:
    """Find the nodes that make the backend's outputs differ from the reference's.

    Nodes with failing sessions are found first, one by one, and removed; then the values of the rest are compared.

    Raises:
        WebbuildError: `no-reference`.
    """
    splits = PartitionPoints(runner.graph)
    whole_graph = runner.run_one(tuple(range(len(runner.graph.nodes))))
    culprits, rest, unfinished = _find_failures(runner, splits, whole_graph)
    untried: list[SubgraphResult] = []
    if rest is not None and rest.verdict == "differs":
        blamed, joint, untried = find_mismatches(runner, splits, rest)
        several = [find_joint_mismatch(runner, splits, each) for each in joint]
        wrong = [*blamed, *(each for each in several if each is not None)]
        if None in several:  # nodes that are not adjacent cause it
            wrong += _find_single_nodes(
                runner, rest, {index for each in (*culprits, *wrong) for index in each.subgraph}
            )
        culprits += wrong or [find_smallest_group(runner, splits, rest)]
    ordered = _reproduce_first(runner, _sort_by_position(runner.graph, culprits))
    profile = error_by_depth(runner) if any(each.code == "error-accumulation" for each in ordered) else ()
    return BisectResult(
        whole_graph=whole_graph,
        culprits=tuple(ordered),
        sessions=runner.sessions,
        compared_values=sum(tried.compared_values for tried in runner.results),
        depth_errors=profile,
        unresolved=tuple(untried),
        unfinished=unfinished,
    )


def _find_failures(
    runner: SubgraphRunner, splits: PartitionPoints, whole_graph: SubgraphResult
) -> tuple[list[Culprit], SubgraphResult | None, str]:
    """Return the failing nodes, the result of the rest if it runs, and why the search stopped early, if it did."""
    failing, culprits, rest = FailureSearch(runner, splits), list[Culprit](), whole_graph
    while rest.verdict == "fails":
        if culprits and (
            len(culprits) == _MAX_FAILING_NODES or runner.sessions + failing.estimated_sessions(rest) > _MAX_SESSIONS
        ):
            return culprits, None, "more nodes fail: fix these, and bisect again"
        one = failing.find(rest)
        culprits.append(one)
        left: Subgraph = tuple(index for index in rest.subgraph if index not in one.subgraph)
        if not left:
            return culprits, None, ""
        rest = runner.run_one(left)
    return culprits, rest, ""


def _find_single_nodes(runner: SubgraphRunner, rest: SubgraphResult, known: set[int]) -> list[Culprit]:
    """Return the single nodes that differ if all nodes run in one session with the reference's values as inputs."""
    pieces = [
        (index,) for index in rest.subgraph if any(map(runner.graph.can_be_boundary, runner.graph.nodes[index].output))
    ]
    tried = runner.run_each(pieces)
    return [
        Culprit("node-mismatch", each.subgraph, each, each.subgraph[0])
        for each in tried
        if each.verdict == "differs" and each.subgraph[0] not in known
    ]


def _reproduce_first(runner: SubgraphRunner, culprits: Sequence[Culprit]) -> list[Culprit]:
    """Reproduce the first findings, except for downstream ones and accumulated errors."""
    worth = [
        number for number, each in enumerate(culprits) if not each.downstream and each.code != "error-accumulation"
    ][:MAX_REPRODUCED]
    return [reproduce(runner, each) if number in worth else each for number, each in enumerate(culprits)]


def _sort_by_position(graph: ModelGraph, culprits: Sequence[Culprit]) -> list[Culprit]:
    """Sort findings by their first nodes, and mark those downstream of another finding."""
    ordered = sorted(culprits, key=lambda each: each.subgraph)
    bad: set[int] = set()
    marked = []
    for each in ordered:
        upstream = set[int]().union(*(graph.ancestors(index) for index in each.subgraph)) - set(each.subgraph)
        marked.append(msgspec.structs.replace(each, downstream=bool(upstream & bad)))
        bad.update(each.subgraph)
    return marked
