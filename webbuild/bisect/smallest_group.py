"""Finds the fewest nodes, adjacent or not, that differ in their own session, if no piece of the graph differs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from webbuild.bisect.culprit import Culprit
from webbuild.bisect.fusion_mismatch import judge_group
from webbuild.bisect.partition_points import PartitionPoints
from webbuild.bisect.subgraph_runner import SubgraphRunner
from webbuild.bisect.trial_result import SubgraphResult
from webbuild.precision.delta_debug import minimize
from webbuild.subgraph.extract import Subgraph

MAX_GROUP_SESSIONS = 40
"""Maximum number of sessions; after that the remaining group is returned, although a smaller one may exist."""


def find_smallest_group(runner: SubgraphRunner, splits: PartitionPoints, whole_graph: SubgraphResult) -> Culprit:
    """Return the smallest group found that still differs inside `whole_graph`, which differs.

    Each group runs in its own session, with the reference's values in place of the nodes left out. So effects of
    other nodes in the session show up.
    """
    piece = whole_graph.subgraph
    at = [0, *splits.lengths(piece), len(piece)]
    units = {str(number): piece[start:stop] for number, (start, stop) in enumerate(pairwise(at))}
    known, first = {piece: whole_graph}, runner.sessions

    def differs(kept: Sequence[str]) -> bool | None:
        group: Subgraph = tuple(sorted(index for name in kept for index in units[name]))
        if group not in known:
            if runner.sessions - first >= MAX_GROUP_SESSIONS:
                return None
            known[group] = runner.run_one(group)
        return known[group].verdict == "differs"

    kept = minimize(list(units), differs)
    group: Subgraph = tuple(sorted(index for name in kept for index in units[name]))
    best = known[group] if group in known else runner.run_one(group)
    return judge_group(runner, best if best.verdict == "differs" else whole_graph, "joint-mismatch")
