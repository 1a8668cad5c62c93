"""What an inspection comes to: nodes, islands, memory and findings, and the exit code."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from msgspec import Struct

from webbuild.errors import CLEAN, FAILED
from webbuild.facts import TensorFact
from webbuild.findings import Finding
from webbuild.inspection.half import Half
from webbuild.inspection.placing import Place
from webbuild.targets.table import Outcome

SCHEMA_VERSION = 1
"""Of the JSON. A field that is added leaves it as it is; one that goes, or means something else, raises it."""

_RANK = {"error": 0, "warning": 1, "note": 2}


class Node(Struct, frozen=True, rename="camel"):
    """A node of the model, in the order of the graph.

    `since` and `type` are what its kernel is looked up by. `outcome` is None for a node that is computed while
    loading. `graphs` are the graphs around a nested one, `codes` those of the findings about it.
    """

    index: int
    name: str
    operator: str
    domain: str
    graphs: tuple[str, ...]
    since: int
    type: str
    place: Place
    outcome: Outcome | None
    codes: tuple[str, ...]


class Copy(Struct, frozen=True, rename="camel"):
    """A tensor that is copied in every run, `to` the CPU or the GPU. `bytes` is None where its size is unknown.

    `producer` and `readers` are the nodes at its ends, by index; the producer is None for an input of the graph.
    `implicit` copies are those into and out of nested graphs: the engine shows no node for them.
    """

    tensor: str
    to: Literal["cpu", "gpu"]
    bytes: int | None
    producer: int | None
    readers: tuple[int, ...]
    implicit: bool = False


class Island(Struct, frozen=True, rename="camel"):
    """Nodes on the CPU that feed one another, by index, and what is copied between them and the GPU."""

    nodes: tuple[int, ...]
    operators: dict[str, int]
    copies: tuple[Copy, ...]

    @property
    def bytes(self) -> int:
        """Bytes a run, as far as they are known."""
        return sum(copy.bytes or 0 for copy in self.copies)


class Memory(Struct, frozen=True, rename="camel"):
    """Bytes: all weights, the most that intermediate values take at one time, and the largest single tensor.

    `unknown` counts the values of unknown size, which are in none of these.
    """

    weights: int
    activations: int
    largest: int
    largest_tensor: str
    unknown: int


class Inspection(Struct, frozen=True, rename="camel"):
    """Everything that is known before the run. `half` is None where nothing is in float32 on the GPU."""

    schema: int
    model: str
    target: str
    assumptions: tuple[str, ...]
    inputs: tuple[TensorFact, ...]
    outputs: tuple[TensorFact, ...]
    nodes: tuple[Node, ...]
    islands: tuple[Island, ...]
    copies: tuple[Copy, ...]
    memory: Memory
    half: Half | None
    findings: tuple[Finding, ...]

    def count(self, severity: str) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def places(self) -> Counter[str]:
        """Count the nodes of each place."""
        return Counter(node.place for node in self.nodes)

    def by_code(self) -> list[tuple[str, list[Finding]]]:
        """Group the findings by code, the worst first."""
        groups: dict[str, list[Finding]] = {}
        for finding in self.findings:
            groups.setdefault(finding.code, []).append(finding)
        for found in groups.values():
            found.sort(key=lambda each: _RANK[each.severity])
        return sorted(groups.items(), key=lambda group: (_RANK[group[1][0].severity], -len(group[1]), group[0]))

    def verdict(self) -> str:
        """Return what will become of the model, in a line."""
        if any(finding.outcome == "no-session" for finding in self.findings if finding.severity == "error"):
            return "no session can be created"
        errors = self.count("error")
        if errors:
            return f"{errors} {'error' if errors == 1 else 'errors'}: it throws, or answers wrongly"
        on_cpu = self.places()["cpu"]
        if on_cpu:
            return f"it runs, with {on_cpu} {'node' if on_cpu == 1 else 'nodes'} on the CPU"
        return "it runs, all of it on the GPU"


def exit_code(inspection: Inspection) -> int:
    """Return `FAILED` where there is an error, else `CLEAN`."""
    return FAILED if inspection.count("error") else CLEAN
