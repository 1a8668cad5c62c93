"""Finds nodes with differing outputs: splits differing subgraphs recursively, all branches at once."""

from __future__ import annotations

from webbuild.bisect.culprit import Culprit
from webbuild.bisect.partition_points import PartitionPoints
from webbuild.bisect.subgraph_runner import SubgraphRunner
from webbuild.bisect.trial_result import SubgraphResult

_BRANCHING = 16
"""Number of parts into which a differing subgraph is split."""
_SINGLE_NODE_LIMIT = 64
"""Approximate number of parts in a session."""


def find_mismatches(
    runner: SubgraphRunner, splits: PartitionPoints, whole_graph: SubgraphResult
) -> tuple[list[Culprit], list[SubgraphResult], list[SubgraphResult]]:
    """Return the nodes that differ alone, the pieces that differ without a differing part, and the untried parts.

    Sessions of untried parts fail, although the whole graph runs.
    """
    culprits: list[Culprit] = []
    joint: list[SubgraphResult] = []
    untried: list[SubgraphResult] = []
    level = [whole_graph]
    while level:
        width = max(2, min(_BRANCHING, _SINGLE_NODE_LIMIT // len(level)))
        parts = {tried.subgraph: splits.split(tried.subgraph, width) for tried in level}
        culprits += [_mismatch_culprit(tried) for tried in level if len(parts[tried.subgraph]) == 1]
        divided = [tried for tried in level if len(parts[tried.subgraph]) > 1]
        answers = {tried.subgraph: tried for tried in runner.run_each([p for t in divided for p in parts[t.subgraph]])}
        level = []
        for parent in divided:
            children = [answers[part] for part in parts[parent.subgraph]]
            differing = [child for child in children if child.verdict == "differs"]
            untried += [child for child in children if child.verdict == "fails"]
            level += differing
            joint += [] if differing else [parent]
    return culprits, joint, untried


def _mismatch_culprit(tried: SubgraphResult) -> Culprit:
    return Culprit("node-mismatch", tried.subgraph, tried, tried.subgraph[0] if len(tried.subgraph) == 1 else None)
