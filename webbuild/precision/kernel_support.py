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
"""Beginning of the codes of rules about float16. What the others find is there in float32 too."""
_MEASURED_CODES = {"fp16-overflow"}
"""Rules that guess what ranges know."""
_HARMLESS_CODES = {"fp16-layer-normalization"}
"""Rules about what a conversion never makes: a LayerNormalization all of whose tensors are float16 compiles and is
right on real float16 (`docs/fp16.md`); the one that does not compile mixes types (onnxruntime #32629)."""
_ASKED_ANYWAY = {"fp16-firefox", "fp16-mixed-types"}
"""Rules about shaders that do not compile: every conversion asks them, since some depend on what its neighbours are."""


def unsupported_in_fp16(
    model: ir.Model, fp16_nodes: Collection[str], table: KernelTable, *, measured: bool
) -> dict[str, str]:
    """Return why nodes of a converted graph must be float32 after all, by name.

    Args:
        model: where they are float16.
        fp16_nodes: their names; in float32 all of them run on the GPU.
        table: of the target.
        measured: whether the numbers that go through them were looked at, so that nothing is guessed of them.
    """
    copy, nodes = prepare_graph(model, {})
    context = InspectionContext(
        copy, table, nodes, place_nodes(nodes, table, cpu_node_names(copy)), data_dependent_values(nodes)
    )
    left_out = _HARMLESS_CODES | _ASKED_ANYWAY | (_MEASURED_CODES if measured else set())
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
