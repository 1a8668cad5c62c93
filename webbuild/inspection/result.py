"""The result of an inspection: nodes, partitions, memory, findings, and the exit code."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from msgspec import Struct

from webbuild.errors import CLEAN, FAILED
from webbuild.inspection.finding import Finding
from webbuild.inspection.fp16_estimate import Fp16Estimate
from webbuild.inspection.placement import PlacementKind
from webbuild.model.signature import TensorSpec
from webbuild.targets.table import Outcome

SCHEMA_VERSION = 2
"""Version of the JSON. Adding a field keeps it; removing a field or changing its meaning increments it."""

_RANK = {"error": 0, "warning": 1, "note": 2}


class NodeInspection(Struct, frozen=True, rename="camel"):
    """A node of the model, in the order of the graph.

    `schema_version` and `dtype` select its kernel. `outcome` is None for a node that is folded at load time. `scopes`
    are the graphs around a nested node, `codes` the codes of its findings.
    """

    index: int
    name: str
    operator: str
    domain: str
    scopes: tuple[str, ...]
    schema_version: int
    dtype: str
    placement: PlacementKind
    outcome: Outcome | None
    codes: tuple[str, ...]


class Transfer(Struct, frozen=True, rename="camel"):
    """A tensor that is copied to `destination` in every run. `size` is None if unknown.

    `producer` and `consumers` are node indices; the producer is None for a graph input. `implicit` copies go into or
    out of nested graphs: the engine's log has no node for them.
    """

    tensor: str
    destination: Literal["cpu", "gpu"]
    size: int | None
    producer: int | None
    consumers: tuple[int, ...]
    implicit: bool = False


class CpuPartition(Struct, frozen=True, rename="camel"):
    """Connected nodes on the CPU, by index, and the copies between them and the GPU."""

    nodes: tuple[int, ...]
    operators: dict[str, int]
    transfers: tuple[Transfer, ...]

    @property
    def transfer_bytes(self) -> int:
        """Bytes copied per run, as far as sizes are known."""
        return sum(copy.size or 0 for copy in self.transfers)


class LiveTensor(Struct, frozen=True, rename="camel"):
    """A tensor that is live at the peak, and its bytes."""

    name: str
    size: int


class GpuPeak(Struct, frozen=True, rename="camel"):
    """Peak GPU memory: bytes of the weights, and of the tensors live at a node.

    Estimated from the nodes in order: a tensor is live from its producer to its last reader. The engine takes somewhat
    more: it rounds buffer sizes up to reuse buffers, and frees them some nodes later. `largest` are the largest live
    tensors.
    """

    where: str
    weights: int
    tensors: int
    largest: tuple[LiveTensor, ...]

    @property
    def total(self) -> int:
        """Bytes of weights and tensors."""
        return self.weights + self.tensors


class MemoryEstimate(Struct, frozen=True, rename="camel"):
    """Bytes of all weights, of live intermediate values at their peak, and of the largest tensor.

    `unknown_shapes` counts the values of unknown size, which are not included. `gpu` is None if nothing runs on the
    GPU.
    """

    weights: int
    activations: int
    largest_bytes: int
    largest_tensor: str
    unknown_shapes: int
    gpu: GpuPeak | None = None


class Inspection(Struct, frozen=True, rename="camel"):
    """The result of an inspection: everything that is predicted.

    `fp16` is None if no GPU node is float32. `packed_peak` is the peak GPU memory after the passes of `pack`, None if
    there was no dry run.
    """

    schema: int
    model: str
    target: str
    assumptions: tuple[str, ...]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    nodes: tuple[NodeInspection, ...]
    partitions: tuple[CpuPartition, ...]
    transfers: tuple[Transfer, ...]
    memory: MemoryEstimate
    fp16: Fp16Estimate | None
    findings: tuple[Finding, ...]
    packed_peak: GpuPeak | None = None

    def count(self, severity: str) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def placement_counts(self) -> Counter[str]:
        """Count the nodes by placement."""
        return Counter(node.placement for node in self.nodes)

    def findings_by_code(self) -> list[tuple[str, list[Finding]]]:
        """Group the findings by code, the worst first."""
        groups: dict[str, list[Finding]] = {}
        for finding in self.findings:
            groups.setdefault(finding.code, []).append(finding)
        for findings in groups.values():
            findings.sort(key=lambda each: _RANK[each.severity])
        return sorted(groups.items(), key=lambda group: (_RANK[group[1][0].severity], -len(group[1]), group[0]))

    def verdict(self) -> str:
        """Return the predicted outcome in one line."""
        if any(finding.outcome == "no-session" for finding in self.findings if finding.severity == "error"):
            return "no session can be created"
        errors = self.count("error")
        if errors:
            return f"{errors} {'error' if errors == 1 else 'errors'}: it throws, or returns wrong results"
        on_cpu = self.placement_counts()["cpu"]
        if on_cpu:
            return f"runs, with {on_cpu} {'node' if on_cpu == 1 else 'nodes'} on the CPU"
        return "it runs, all of it on the GPU"


def exit_code(inspection: Inspection) -> int:
    """Return `FAILED` if there is an error, else `CLEAN`."""
    return FAILED if inspection.count("error") else CLEAN
