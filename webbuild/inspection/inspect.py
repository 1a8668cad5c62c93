"""Inspection of a model against the kernel table of a target, without running anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import onnx_ir as ir
from msgspec import structs

from webbuild.inspection.context import InspectionContext, data_dependent_values
from webbuild.inspection.finding import Finding
from webbuild.inspection.fp16_estimate import estimate_fp16
from webbuild.inspection.graph import ScopedNode, prepare_graph, walk_nodes
from webbuild.inspection.memory import estimate_memory
from webbuild.inspection.partitions import PartitionTransfer, find_partitions, find_transfers
from webbuild.inspection.placement import place_nodes
from webbuild.inspection.result import SCHEMA_VERSION, Inspection, MemoryEstimate, NodeInspection
from webbuild.inspection.rules.base import model_rules, rules_for
from webbuild.model.read_signature import read_signature
from webbuild.passes.base import PassFailedError, PassOptions
from webbuild.passes.lower import run_to_fixpoint
from webbuild.passes.rewrite import static_shape
from webbuild.passes.simplify.canonicalize import Canonicalize
from webbuild.passes.simplify.fold_constants import FoldConstants
from webbuild.passes.workarounds.cpu_fallback import CpuFallback, cpu_node_names
from webbuild.targets.table import KernelTable, Outcome

_WORST: tuple[Outcome, ...] = ("no-session", "throws", "wrong")


def inspect(
    file: str, model: ir.Model, table: KernelTable, dims: Mapping[str, int], assumptions: tuple[str, ...] = ()
) -> Inspection:
    """Inspect a model without changing it.

    Args:
        file: the file name, for the report.
        model: the model.
        table: the kernel table of the target.
        dims: sizes for free dimensions, by name or as "input:axis".
        assumptions: assumptions about sizes, for the report.
    """
    copy, nodes = prepare_graph(model, dims)
    forced = cpu_node_names(copy) if table.target.build == "webgpu" else []
    context = InspectionContext(copy, table, nodes, place_nodes(nodes, table, forced), data_dependent_values(nodes))
    transfers: list[PartitionTransfer] = find_transfers(context)
    groups = find_partitions(context, transfers)
    findings = {each.node: list(_node_findings(each, context)) for each in nodes}
    memory = _memory(context, forced)
    signature = read_signature(file, copy)
    rules = [rule for rule in model_rules() if not (context.wasm and rule.gpu_only)]
    model_findings = [finding for rule in rules for finding in rule.check(context, groups, memory)]
    return Inspection(
        schema=SCHEMA_VERSION,
        model=file,
        target=table.target.name,
        assumptions=assumptions,
        inputs=signature.inputs,
        outputs=signature.outputs,
        nodes=tuple(_node(index, each, context, findings[each.node]) for index, each in enumerate(nodes)),
        partitions=tuple(groups),
        transfers=tuple(crossing.transfer for crossing in transfers),
        memory=memory,
        fp16=estimate_fp16(context),
        findings=(*model_findings, *(finding for each in nodes for finding in findings[each.node])),
    )


def _memory(context: InspectionContext, forced: Sequence[str]) -> MemoryEstimate:
    """Return the memory of a model; shape computations in the graph are folded first, as the engine does."""
    memory = estimate_memory(context)
    if not memory.unknown_shapes or not all(static_shape(value) for value in context.model.graph.inputs):
        return memory
    folded = context.model.clone()
    try:
        run_to_fixpoint([Canonicalize, FoldConstants], folded, PassOptions())
    except PassFailedError:  # pack reports it; this is only an estimate
        return memory
    nodes = list(walk_nodes(folded.graph))
    placements = place_nodes(nodes, context.table, forced)
    folded_memory = estimate_memory(InspectionContext(folded, context.table, nodes, placements, frozenset()))
    return folded_memory if folded_memory.unknown_shapes < memory.unknown_shapes else memory


def _node_findings(scoped: ScopedNode, context: InspectionContext) -> Iterator[Finding]:
    if context.placements[scoped.node].kind == "folded":
        return
    for rule in rules_for(scoped.node.op_type):
        finding = rule.check(scoped.node, context)
        if finding is not None and not (context.wasm and finding.outcome == "cpu"):
            yield structs.replace(finding, fixed_by=_fixing_pass(finding, context))


def _fixing_pass(finding: Finding, context: InspectionContext) -> tuple[str, ...]:
    """Return the pass that fixes a finding; cpu-fallback for an error that no other pass fixes."""
    runs_on_cpu = not context.wasm and finding.severity == "error" and finding.outcome in ("throws", "wrong")
    return finding.fixed_by or ((CpuFallback.code,) if runs_on_cpu else ())


def _node(index: int, scoped: ScopedNode, context: InspectionContext, findings: list[Finding]) -> NodeInspection:
    node, placing = scoped.node, context.placements[scoped.node]
    failures = {finding.outcome for finding in findings if finding.severity == "error"}
    default: Outcome | None = {"gpu": "gpu", "cpu": "cpu", "none": "no-session", "folded": None}[placing.kind]
    return NodeInspection(
        index=index,
        name=node.name or "",
        operator=node.op_type,
        domain=node.domain,
        scopes=scoped.scopes,
        schema_version=placing.kernel.schema_version,
        dtype=placing.kernel.dtype,
        placement=placing.kind,
        outcome=next((outcome for outcome in _WORST if outcome in failures), default),
        codes=tuple(dict.fromkeys(finding.code for finding in findings)),
    )
