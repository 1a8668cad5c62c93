"""Kernel support of a float16 graph: missing kernels, and kernels known to be wrong."""

from __future__ import annotations

from collections.abc import Collection

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, data_dependent_values
from webbuild.inspection.graph import prepare_graph
from webbuild.inspection.placement import place_nodes
from webbuild.inspection.rules.base import rules_for
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.targets.table import KernelTable

_FP16_PREFIX = "fp16-"
"""Prefix of the codes of float16 rules. The findings of other rules also apply in float32."""
_MEASURED_CODES = {"fp16-overflow"}
"""Rules that guess what measured ranges show."""
_HARMLESS_CODES = {"fp16-layer-normalization"}
"""Rules about graphs that the conversion never produces: a LayerNormalization with only float16 tensors compiles and is
right on real float16 (`docs/fp16.md`); only one with mixed types fails to compile (onnxruntime #32629)."""
_CHECKED_PER_CONVERSION = {"fp16-firefox", "fp16-mixed-types"}
"""Rules about shaders that do not compile: every conversion checks them, because they depend on neighbouring nodes."""


def unsupported_in_fp16(
    model: ir.Model, fp16_nodes: Collection[str], table: KernelTable, *, measured: bool
) -> dict[str, str]:
    """Return by name why nodes of a converted graph must stay float32.

    Args:
        model: the converted graph.
        fp16_nodes: the names of its float16 nodes; in float32 all of them run on the GPU.
        table: the kernel table of the target.
        measured: whether activation ranges were measured, so that rules need not guess them.
    """
    copy, nodes = prepare_graph(model, {})
    context = InspectionContext(
        copy, table, nodes, place_nodes(nodes, table, cpu_node_names(copy)), data_dependent_values(nodes)
    )
    left_out = _HARMLESS_CODES | _CHECKED_PER_CONVERSION | (_MEASURED_CODES if measured else set())
    wanted, reasons = set(fp16_nodes), {}
    for each in nodes:
        name = each.node.name or ""
        if name not in wanted or each.parent is not None:
            continue
        if context.placements[each.node].kind not in ("gpu", "folded"):
            reasons[name] = "no float16 kernel on the GPU"
            continue
        for rule in rules_for(each.node.op_type):
            if not rule.code.startswith(_FP16_PREFIX) or rule.code in left_out:
                continue
            if (known := rule.check(each.node, context)) is not None:
                reasons.setdefault(name, f"{known.summary}: {known.reason}")
    return reasons
