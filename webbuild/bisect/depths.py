"""How the error grows with depth: values of the whole graph, run on the backend from its inputs on."""

from __future__ import annotations

from webbuild.bisect.found import Depth
from webbuild.bisect.outcome import Tried
from webbuild.bisect.tester import Tester

POINTS = 32
"""Values that are looked at."""


def depths(tester: Tester) -> tuple[Depth, ...]:
    """Return the errors of floats at about even depths. To read them may keep the engine from fusing around them."""
    graph = tester.graph
    count = len(graph.nodes)
    piece = tuple(range(count))
    wanted = sorted({count * (number + 1) // POINTS - 1 for number in range(POINTS)} & set(piece) | {count - 1})
    names = [name for index in wanted for name in graph.nodes[index].output[:1] if name and graph.can_cross(name)]
    tried = tester.one(piece, also=tuple(names))
    return _profile(tester, tried)


def _profile(tester: Tester, tried: Tried) -> tuple[Depth, ...]:
    made = {each.subject.output: each for each in tried.comparisons if "." in f"{each.want}." and each.signal}
    found = [Depth(tester.graph.maker[name], name, each.max_rel) for name, each in made.items()]
    return tuple(sorted(found, key=lambda depth: depth.node))
