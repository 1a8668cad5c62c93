"""Error by depth: errors of intermediate values when the backend runs the whole graph from its inputs."""

from __future__ import annotations

from webbuild.bisect.culprit import DepthError
from webbuild.bisect.subgraph_runner import SubgraphRunner
from webbuild.bisect.trial_result import SubgraphResult

_MAX_POINTS = 32
"""Maximum number of values."""


def error_by_depth(runner: SubgraphRunner) -> tuple[DepthError, ...]:
    """Return the errors of floats at about even depths. Reading them may keep the engine from fusing around them."""
    graph = runner.graph
    count = len(graph.nodes)
    piece = tuple(range(count))
    wanted = sorted(
        {count * (number + 1) // _MAX_POINTS - 1 for number in range(_MAX_POINTS)} & set(piece) | {count - 1}
    )
    names = [name for index in wanted for name in graph.nodes[index].output[:1] if name and graph.can_be_boundary(name)]
    tried = runner.run_one(piece, also=tuple(names))
    return _measure_errors(runner, tried)


def _measure_errors(runner: SubgraphRunner, tried: SubgraphResult) -> tuple[DepthError, ...]:
    by_output = {each.subject.output: each for each in tried.comparisons if "." in f"{each.want}." and each.signal}
    errors = [DepthError(runner.graph.producer[name], name, each.max_rel) for name, each in by_output.items()]
    return tuple(sorted(errors, key=lambda depth: depth.node))
