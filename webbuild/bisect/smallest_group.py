"""The fewest nodes that differ in a session of their own, neighbours or not, where no piece of the graph differs."""

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
"""Sessions that it may take; what is left then is named, though fewer nodes may do."""


def find_smallest_group(runner: SubgraphRunner, splits: PartitionPoints, whole_graph: SubgraphResult) -> Culprit:
    """Return the smallest group that `whole_graph`, which differs, could be narrowed to.

    Each group is a session of its own: what is left out is fed with the reference's values, and what only another node
    in the session brings about shows.
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
