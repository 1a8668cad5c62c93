"""CPU fallback for defects that no pass fixes: nodes on the CPU, or a disabled graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.errors import WebbuildError
from webbuild.inspection.finding import Finding
from webbuild.inspection.graph import node_label, walk_nodes
from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import Inspection
from webbuild.inspection.rules.base import model_rules
from webbuild.manifest.manifest import DisabledTarget
from webbuild.passes.base import Rewrite
from webbuild.passes.workarounds.cpu_fallback import CpuFallback, mark_cpu_nodes
from webbuild.targets.table import KernelTable

if TYPE_CHECKING:
    import onnx_ir as ir

_WRONG_OUTCOMES = ("throws", "wrong")
_FAILURES = ("no-session", *_WRONG_OUTCOMES)


class FallbackPlan(Struct, frozen=True):
    """The nodes assigned to the CPU, and why the graph is disabled, None if it is not.

    `inspection` is of the graph with these nodes on the CPU.
    """

    rewrites: tuple[Rewrite, ...] = ()
    disabled: DisabledTarget | None = None
    inspection: Inspection | None = None


def apply_cpu_fallback(model: ir.Model, table: KernelTable) -> FallbackPlan:
    """Assign the nodes of a patched graph that would still throw or be wrong on the GPU to the CPU.

    If a node has no CPU kernel either, the graph is disabled: the runtime then uses the WASM graph, and says why.
    """
    if table.target.build == "wasm":
        return FallbackPlan()
    inspection = inspect("", model, table, {})
    rewrites = _assign_to_cpu(model, inspection)
    inspection = inspect("", model, table, {}) if rewrites else inspection
    return FallbackPlan(tuple(rewrites), _reason(inspection), inspection)


def _assign_to_cpu(model: ir.Model, inspection: Inspection) -> list[Rewrite]:
    by_node = {finding.where: finding for finding in inspection.findings if _is_for_cpu(finding)}
    nodes_and_reasons = [
        (each.node, by_node[where].reason)
        for each, node in zip(walk_nodes(model.graph), inspection.nodes, strict=True)
        if (where := node_label(each.node)) in by_node and by_node[where].code in node.codes
    ]
    named = mark_cpu_nodes(model, [node for node, _ in nodes_and_reasons])
    return [
        CpuFallback().applied(f"{node.op_type} '{name}'", f"left to the CPU: {reason}")
        for name, (node, reason) in zip(named, nodes_and_reasons, strict=True)
    ]


def check_wasm_session(model: ir.Model, table: KernelTable, disabled: DisabledTarget) -> None:
    """Check that the WASM graph of a model with a disabled WebGPU graph gets a session.

    Args:
        model: the WASM graph.
        table: the kernel table of the WASM build.
        disabled: why the WebGPU graph is disabled.

    Raises:
        WebbuildError: `no-compatible-build` if no build of the engine can run the model.
    """
    error = next(_errors(inspect("", model, table, {})), None)
    if error is not None and error.outcome == "no-session":
        raise WebbuildError(
            "no-compatible-build",
            f"no build of onnxruntime-web can run the model: on {disabled.target}, {disabled.reason}; "
            f"on WASM, {error.reason}",
            "export the model without it, and compute that part in JavaScript",
        )


def _is_for_cpu(finding: Finding) -> bool:
    """Whether running the node on the CPU fixes a finding: a throw or wrong answer, or cpu-fallback is its fix."""
    return CpuFallback.code in finding.fixed_by or (finding.severity == "error" and finding.outcome in _WRONG_OUTCOMES)


def _reason(inspection: Inspection) -> DisabledTarget | None:
    error = next(_errors(inspection), None)
    if error is None:
        return None
    return DisabledTarget(target="webgpu", code=error.code, reason=f"{error.where}: {error.summary}, {error.reason}")


def _errors(inspection: Inspection) -> Iterator[Finding]:
    """Yield errors about nodes. Errors about the whole model, such as its size, apply to WASM as well."""
    model_codes = {rule.code for rule in model_rules()}
    for finding in inspection.findings:
        if finding.severity == "error" and finding.outcome in _FAILURES and finding.code not in model_codes:
            yield finding
