"""Where a probe's nodes went, read from the lines that the engine logs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from webbuild.targets.table import Placement

_HEADING = re.compile(r"(?:Node\(s\)|All nodes) placed on \[(\w+)\]")
_NODE = re.compile(r"VerifyEachNodeIsAssignedToAnEp\]\s+(\w+) \(([^)]*)\)")
_HOSTS = "CPUExecutionProvider"
_COPIES = {"MemcpyFromHost", "MemcpyToHost"}


def placed(log: Iterable[str]) -> tuple[Placement | None, tuple[str, ...]]:
    """Return the slowest place that a node got, None if the engine named none, and the operators on the CPU.

    Copies between the two are no nodes of the model. An operator may come as the parts of its definition.
    """
    places: set[Placement] = set()
    cpu: list[str] = []
    place: Placement = "gpu"
    for line in log:
        if heading := _HEADING.search(line):
            place = "cpu" if heading[1] == _HOSTS else "gpu"
            places |= {place} if "All nodes" in line else set()
        elif (node := _NODE.search(line)) and node[1] not in _COPIES:
            places.add(place)
            cpu += [node[1]] if place == "cpu" else []
    if not places:
        return None, ()
    return ("cpu" if "cpu" in places else "gpu"), tuple(cpu)
