"""A model against the table of a target: nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx_ir as ir
from msgspec import structs

from webbuild.findings import Finding
from webbuild.inspection.context import Context, uncertain
from webbuild.inspection.graph import Placed, read
from webbuild.inspection.half import half
from webbuild.inspection.inspection import SCHEMA_VERSION, Inspection, Node
from webbuild.inspection.islands import Crossing, crossings, islands
from webbuild.inspection.memory import memory
from webbuild.inspection.placing import place
from webbuild.inspection.rules._base import model_rules, rules_of
from webbuild.model import facts
from webbuild.passes.force_cpu import ForceCpu, cpu_nodes
from webbuild.targets.table import Outcome, Table

_WORST: tuple[Outcome, ...] = ("no-session", "throws", "wrong")


def inspect(
    file: str, model: ir.Model, table: Table, dims: Mapping[str, int], assumptions: tuple[str, ...] = ()
) -> Inspection:
    """Inspect a model, which stays as it is.

    Args:
        file: its name, for the report.
        model: the model.
        table: of the target.
        dims: sizes for free dimensions, by name or as "input:axis".
        assumptions: what was assumed about sizes, for the report.
    """
    read_, nodes = read(model, dims)
    forced = cpu_nodes(read_) if table.target.build == "webgpu" else []
    context = Context(read_, table, nodes, place(nodes, table, forced), uncertain(nodes))
    found: list[Crossing] = crossings(context)
    groups = islands(context, found)
    findings = {each.node: list(_findings(each, context)) for each in nodes}
    taken = memory(context)
    known = facts(file, read_)
    rules = [rule for rule in model_rules() if not (context.wasm and rule.gpu_alone)]
    about = [finding for rule in rules for finding in rule.check(context, groups, taken)]
    return Inspection(
        SCHEMA_VERSION,
        file,
        table.target.name,
        assumptions,
        known.inputs,
        known.outputs,
        tuple(_node(index, each, context, findings[each.node]) for index, each in enumerate(nodes)),
        tuple(groups),
        tuple(crossing.copy for crossing in found),
        taken,
        half(context),
        (*about, *(finding for each in nodes for finding in findings[each.node])),
    )


def _findings(placed: Placed, context: Context) -> Iterator[Finding]:
    if context.placings[placed.node].place == "folded":
        return
    for rule in rules_of(placed.node.op_type):
        finding = rule.check(placed.node, context)
        if finding is not None and not (context.wasm and finding.outcome == "cpu"):
            yield _stepping(finding) if context.jsep else structs.replace(finding, mended_by=_mend(finding, context))


def _mend(finding: Finding, context: Context) -> str:
    """Return the pass that mends it; what none mends is left to the CPU."""
    kept = not context.wasm and finding.severity == "error" and finding.outcome in ("throws", "wrong")
    return finding.mended_by or (ForceCpu.code if kept else "")


def _stepping(finding: Finding) -> Finding:
    """Return a finding as it is for jsep. Passes are for the native build, and this one takes no names for the CPU."""
    if finding.mended_by != ForceCpu.code:
        return structs.replace(finding, mended_by="")
    fix = f"{finding.fix}; as it is, the model steps to WASM"
    return structs.replace(finding, mended_by="", fix=fix, steps=True)


def _node(index: int, placed: Placed, context: Context, findings: list[Finding]) -> Node:
    node, placing = placed.node, context.placings[placed.node]
    ends = {finding.outcome for finding in findings if finding.severity == "error"}
    home: Outcome | None = {"gpu": "gpu", "cpu": "cpu", "none": "no-session", "folded": None}[placing.place]
    return Node(
        index,
        node.name or "",
        node.op_type,
        node.domain,
        placed.graphs,
        placing.kernel.since,
        placing.kernel.dtype,
        placing.place,
        next((outcome for outcome in _WORST if outcome in ends), home),
        tuple(dict.fromkeys(finding.code for finding in findings)),
    )
