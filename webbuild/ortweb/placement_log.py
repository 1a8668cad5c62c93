"""Node placement, parsed from the engine's log lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from webbuild.targets.table import KernelPlacement

_HEADING = re.compile(r"(Node\(s\)|All nodes) placed on \[(\w+)\](?:. Number of nodes: (\d+))?")
_NODE = re.compile(r"VerifyEachNodeIsAssignedToAnEp\]\s+(\w+) \(([^)]*)\)")
_CPU_PROVIDER = "CPUExecutionProvider"
TRANSFER_OPS = frozenset({"MemcpyFromHost", "MemcpyToHost"})
"""Copies between the CPU and the GPU, which are not nodes of the model."""


class LoggedNode(Struct, frozen=True):
    """A node of the optimized graph, and its placement."""

    placement: KernelPlacement
    operator: str
    name: str


def parse_nodes(log: Iterable[str]) -> Iterator[LoggedNode]:
    """Yield the nodes in the log. It lists nodes only if a graph uses both placements; operators may be decomposed."""
    placement: KernelPlacement = "gpu"
    for line in log:
        if heading := _HEADING.search(line):
            placement = _provider_placement(heading[2])
        elif node := _NODE.search(line):
            yield LoggedNode(placement, node[1], node[2])


def count_placements(log: Iterable[str]) -> Counter[KernelPlacement]:
    """Return the number of nodes per placement, including copies."""
    counts: Counter[KernelPlacement] = Counter()
    for line in log:
        if heading := _HEADING.search(line):
            counts[_provider_placement(heading[2])] += int(heading[3] or 0)
    return counts


def slowest_placement(log: Iterable[str]) -> tuple[KernelPlacement | None, tuple[str, ...]]:
    """Return the slowest placement of a node, None if the log has none, and the operators on the CPU."""
    lines = list(log)
    nodes = [node for node in parse_nodes(lines) if node.operator not in TRANSFER_OPS]
    unsplit = {
        _provider_placement(heading[2])
        for line in lines
        if (heading := _HEADING.search(line)) and heading[1] == "All nodes"
    }
    places = unsplit | {node.placement for node in nodes}
    if not places:
        return None, ()
    return ("cpu" if "cpu" in places else "gpu"), tuple(node.operator for node in nodes if node.placement == "cpu")


def node_placement(log: Iterable[str], op: str, name: str) -> KernelPlacement | None:
    """Return the placement of a node; the slowest of all nodes if the engine decomposed it."""
    lines = list(log)
    own = (node.placement for node in parse_nodes(lines) if (node.operator, node.name) == (op, name))
    return next(own, None) or slowest_placement(lines)[0]


def _provider_placement(provider: str) -> KernelPlacement:
    return "cpu" if provider == _CPU_PROVIDER else "gpu"
