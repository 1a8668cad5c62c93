"""Dry run of `webbuild pack`'s passes: which findings they fix, and which CPU partitions they remove."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import onnx_ir as ir
from msgspec import structs

from webbuild.inspection.finding import Finding
from webbuild.inspection.graph import node_label, walk_nodes
from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import Inspection
from webbuild.inspection.rules.base import Rule, all_rules, model_rules
from webbuild.inspection.rules.cpu import dynamic_output_shape
from webbuild.inspection.rules.model import cpu_partition, gpu_memory
from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.decompose.decompose_deform_conv import DecomposeDeformConv
from webbuild.passes.decompose.fold_deform_conv import FoldDeformConv
from webbuild.passes.limits.split_conv_input import SplitConvInput
from webbuild.passes.limits.split_large_weights import SplitLargeWeights
from webbuild.passes.limits.tile_attention import TileAttention
from webbuild.passes.lower import lower
from webbuild.targets.table import KernelTable

_BOUNDING = tuple(
    kind.code for kind in (FoldDeformConv, DecomposeDeformConv, TileAttention, SplitConvInput, SplitLargeWeights)
)
"""Passes that split computations that need too much memory."""


def with_fixes(inspection: Inspection, model: ir.Model, table: KernelTable, dims: Mapping[str, int]) -> Inspection:
    """Return an inspection in which each finding names the passes of `pack` that fix it.

    Most rules name their pass themselves. For the others it depends on the nodes around: a NonZero before a detector's
    NMS is removed with it, any other may stay. If there is such a finding, or one about GPU memory, the passes run on a
    clone: a finding that the clone no longer has is fixed. That takes three to nine times as long as the inspection
    (1.9 s for 406 nodes, 3 s for 2,500, 14 s for 4,600), so other models skip it.
    """
    if table.target.build != "webgpu":
        return inspection
    findings, peak = inspection.findings, None
    large = any(finding.code == gpu_memory.code for finding in findings)
    if large or any(_is_unfixed(finding) and finding.code == dynamic_output_shape.code for finding in findings):
        planned = lower(model, PassOptions(dims=dims, table=table), ("webgpu",))
        left = inspect("", planned.graphs["webgpu"], table, {})
        done, peak = planned.rewrites["webgpu"], left.memory.gpu
        findings = tuple(_with_passes(findings, left.findings, done))
        if large and not any(finding.code == gpu_memory.code for finding in left.findings):
            findings = tuple(_with_memory_passes(each, done) for each in findings)
    return structs.replace(
        inspection, findings=tuple(_with_partition_passes(inspection, findings, model)), packed_peak=peak
    )


def _with_memory_passes(finding: Finding, rewrites: Sequence[Rewrite]) -> Finding:
    """Return a finding about GPU memory with the passes that reduce it."""
    if finding.code != gpu_memory.code:
        return finding
    done = {rewrite.code for rewrite in rewrites if rewrite.applied}
    bounding = tuple(code for code in _BOUNDING if code in done)
    return structs.replace(finding, fixed_by=bounding or tuple(sorted(done)))


def _is_unfixed(finding: Finding) -> bool:
    """Whether a finding is about a node, is no note, and names no pass."""
    return finding.severity != "note" and not finding.fixed_by and finding.code not in _model_rule_codes()


@cache
def _model_rule_codes() -> frozenset[str]:
    return frozenset(rule.code for rule in model_rules())


def _with_passes(before: Sequence[Finding], after: Sequence[Finding], rewrites: Sequence[Rewrite]) -> list[Finding]:
    """Return the findings `before`; those that are not in `after` name the passes that ran."""
    done = list(dict.fromkeys(rewrite.code for rewrite in rewrites if rewrite.applied))
    places = {code: {each.where for each in before if each.code == code} for code in {each.code for each in before}}
    moved = {each.code for each in after if each.where not in places.get(each.code, set())}
    left = {(each.code, each.where) for each in after}

    def fixed(finding: Finding) -> Finding:
        if not _is_unfixed(finding) or finding.code in moved or (finding.code, finding.where) in left:
            return finding
        return structs.replace(finding, fixed_by=_passes_applied(finding, done))

    return [fixed(finding) for finding in before]


def _passes_applied(finding: Finding, done: Sequence[str]) -> tuple[str, ...]:
    """Return the passes that removed a finding: those of its rule and of static shapes, else all that ran."""
    rule_passes = [rule.passes for rule in all_rules() if isinstance(rule, Rule) and rule.code == finding.code]
    named = {*dynamic_output_shape.passes, *(code for passes in rule_passes for code in passes)}
    return tuple(code for code in done if code in named) or tuple(done)


def _with_partition_passes(inspection: Inspection, findings: Sequence[Finding], model: ir.Model) -> list[Finding]:
    """Return the findings; a CPU partition names the passes of its nodes' findings if each of these has one."""
    by_place: dict[str, list[Finding]] = {}
    for finding in findings:
        by_place.setdefault(finding.where, []).append(finding)
    labels = [node_label(each.node) for each in walk_nodes(model.graph)]

    def passes(nodes: Sequence[int]) -> tuple[str, ...]:
        causes = [each for index in nodes for each in by_place.get(labels[index], []) if each.severity != "note"]
        if not all(each.fixed_by for each in causes):
            return ()
        return tuple(code for code, _ in Counter(code for each in causes for code in each.fixed_by).most_common())

    partitions = iter([partition for partition in inspection.partitions if partition.transfers])
    return [
        structs.replace(each, fixed_by=passes(next(partitions).nodes)) if each.code == cpu_partition.code else each
        for each in findings
    ]
