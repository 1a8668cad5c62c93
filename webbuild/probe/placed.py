"""Where nodes went, read from the lines that the engine logs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from webbuild.targets.table import Placement

_HEADING = re.compile(r"(Node\(s\)|All nodes) placed on \[(\w+)\](?:. Number of nodes: (\d+))?")
_NODE = re.compile(r"VerifyEachNodeIsAssignedToAnEp\]\s+(\w+) \(([^)]*)\)")
_HOSTS = "CPUExecutionProvider"
COPIES = frozenset({"MemcpyFromHost", "MemcpyToHost"})
"""Copies between the CPU and the GPU: no nodes of the model."""


class Logged(Struct, frozen=True):
    """A node of the graph as it runs, and where."""

    place: Placement
    operator: str
    name: str


def logged(log: Iterable[str]) -> Iterator[Logged]:
    """Yield every node that the engine names: those of a graph that lies on both. An operator may come as its parts."""
    place: Placement = "gpu"
    for line in log:
        if heading := _HEADING.search(line):
            place = _place(heading[2])
        elif node := _NODE.search(line):
            yield Logged(place, node[1], node[2])


def numbers(log: Iterable[str]) -> Counter[Placement]:
    """Return how many nodes are on each, copies among them."""
    found: Counter[Placement] = Counter()
    for line in log:
        if heading := _HEADING.search(line):
            found[_place(heading[2])] += int(heading[3] or 0)
    return found


def placed(log: Iterable[str]) -> tuple[Placement | None, tuple[str, ...]]:
    """Return the slowest place that a node got, None if the engine named none, and the operators on the CPU."""
    lines = list(log)
    nodes = [node for node in logged(lines) if node.operator not in COPIES]
    whole = {_place(heading[2]) for line in lines if (heading := _HEADING.search(line)) and heading[1] == "All nodes"}
    places = whole | {node.place for node in nodes}
    if not places:
        return None, ()
    return ("cpu" if "cpu" in places else "gpu"), tuple(node.operator for node in nodes if node.place == "cpu")


def placed_node(log: Iterable[str], op: str, name: str) -> Placement | None:
    """Return the place of a node, or, where the engine put its parts in its stead, the slowest of all."""
    lines = list(log)
    own = (node.place for node in logged(lines) if (node.operator, node.name) == (op, name))
    return next(own, None) or placed(lines)[0]


def _place(provider: str) -> Placement:
    return "cpu" if provider == _HOSTS else "gpu"
