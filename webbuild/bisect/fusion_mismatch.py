"""Pieces that differ although no part differs: fused nodes, inseparable nodes, or accumulated rounding."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.bisect.culprit import Culprit, CulpritCode
from webbuild.bisect.partition_points import PartitionPoints
from webbuild.bisect.subgraph_runner import SubgraphRunner
from webbuild.bisect.trial_result import SubgraphResult
from webbuild.subgraph.extract import MAX_COPIES, Subgraph, computed_values
from webbuild.subgraph.graph import ModelGraph

_MAX_FUSED_NODES = 8
"""Maximum number of nodes that an engine fuses into one kernel."""
_VANISHING_FACTOR = 4
"""Minimum ratio of the error with fusion to the error without, if fusion is the cause."""


def find_joint_mismatch(runner: SubgraphRunner, splits: PartitionPoints, parent: SubgraphResult) -> Culprit | None:
    """Return the fewest adjacent nodes that differ together, with the cause; None if they agree in an own session."""
    piece = parent.subgraph
    prefixes = [piece[:count] for count in splits.lengths(piece)]
    prefix = _minimal_failing(runner, prefixes, parent)
    starts = splits.lengths(prefix.subgraph)
    end = _minimal_failing(runner, [prefix.subgraph[start:] for start in reversed(starts)], prefix)
    best = _connected_part(runner, end)
    if best is None:
        return None
    # Rounding accumulates only in floats: a differing integer or boolean has a culprit node.
    return judge_group(runner, best, "error-accumulation" if _has_only_numbers(runner, best) else "joint-mismatch")


def judge_group(runner: SubgraphRunner, best: SubgraphResult, rest: CulpritCode) -> Culprit:
    """Return the finding of nodes that differ together: fusion if they agree with inner values read, else `rest`."""
    if len(best.subgraph) > _MAX_FUSED_NODES:
        return Culprit(rest, best.subgraph, best)
    unfused = runner.run_one(best.subgraph, also=tuple(computed_values(runner.graph, best.subgraph)))
    return Culprit("fusion-mismatch" if _vanishes(best, unfused) else rest, best.subgraph, best)


def _minimal_failing(runner: SubgraphRunner, pieces: Sequence[Subgraph], largest: SubgraphResult) -> SubgraphResult:
    """Return the smallest differing piece of growing `pieces`, else `largest`, which contains them all and differs."""
    low, high, best = -1, len(pieces), largest
    while high - low > 1:
        count = min(MAX_COPIES, high - low - 1)
        at = sorted({low + (high - low) * (number + 1) // (count + 1) for number in range(count)} - {low, high})
        tried = runner.run_each([pieces[index] for index in at])
        first = next((n for n, each in enumerate(tried) if each.verdict == "differs"), None)
        if first is None:
            low = at[-1]
            continue
        high, best = at[first], tried[first]
        low = at[first - 1] if first else low
    return best


def _connected_part(runner: SubgraphRunner, tried: SubgraphResult) -> SubgraphResult | None:
    """Remove the nodes that the wrong values do not depend on; None if the piece agrees in its own session."""
    graph: ModelGraph = runner.graph
    makers = {graph.producer[each.subject.output] for each in tried.differing}
    needed = makers.union(*(graph.ancestors(maker) for maker in makers))
    piece = tuple(index for index in tried.subgraph if index in needed)
    for less in dict.fromkeys((piece, tried.subgraph)):
        again = runner.run_one(less)
        if again.verdict == "differs":
            return again
    return None


def _has_only_numbers(runner: SubgraphRunner, tried: SubgraphResult) -> bool:
    """Whether only floats and quantized floats differ."""
    names = [each.subject.output for each in tried.differing]
    return all(runner.reference[n].dtype.kind == "f" or n in runner.graph.quantized_values for n in names)


def _vanishes(tried: SubgraphResult, unfused: SubgraphResult) -> bool:
    """Whether the differing values agree once all inner values are read."""
    names = {each.subject.output for each in tried.differing}
    left = max(
        (each.tolerance_used for each in unfused.comparisons if each.subject.output in names), default=float("inf")
    )
    return left <= 1 and left * _VANISHING_FACTOR <= tried.error
