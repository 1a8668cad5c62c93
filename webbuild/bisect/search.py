"""The search: the whole graph first, then pieces of it, each fed with the reference's values."""

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

MAX_FAILING_NODES = 4
"""Nodes that throw or make no session that are looked for, one after the other."""
MAX_SESSIONS = 20
"""Sessions after which no further failing node is looked for: a few are left for what is merely wrong."""
MAX_REPRODUCED = 5
"""Findings that are seen once more, each in a session of its own."""


def search_culprits(runner: SubgraphRunner) -> BisectResult:
    """Find what makes the backend's answers differ from the reference's.

    Nodes whose sessions fail are found first, one by one, and taken out; the rest is then judged by its values.

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
        if None in several:  # it takes nodes that are no neighbours
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
    """Return the nodes that fail, what the rest gives if it runs, and why not all were found, if so."""
    failing, culprits, rest = FailureSearch(runner, splits), list[Culprit](), whole_graph
    while rest.verdict == "fails":
        if culprits and (
            len(culprits) == MAX_FAILING_NODES or runner.sessions + failing.estimated_sessions(rest) > MAX_SESSIONS
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
    """Return the nodes that differ with all others beside them, each fed with the reference's values."""
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
    """See the first findings once more, those that others lie upstream of left out."""
    worth = [
        number for number, each in enumerate(culprits) if not each.downstream and each.code != "error-accumulation"
    ][:MAX_REPRODUCED]
    return [reproduce(runner, each) if number in worth else each for number, each in enumerate(culprits)]


def _sort_by_position(graph: ModelGraph, culprits: Sequence[Culprit]) -> list[Culprit]:
    """Order findings by their first nodes, and mark those that another one lies upstream of."""
    ordered = sorted(culprits, key=lambda each: each.subgraph)
    bad: set[int] = set()
    marked = []
    for each in ordered:
        upstream = set[int]().union(*(graph.ancestors(index) for index in each.subgraph)) - set(each.subgraph)
        marked.append(msgspec.structs.replace(each, downstream=bool(upstream & bad)))
        bad.update(each.subgraph)
    return marked
