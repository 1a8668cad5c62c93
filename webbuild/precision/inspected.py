"""What the inspection says of a graph of float16: kernels that are missing, and those known to be wrong."""

from __future__ import annotations

from collections.abc import Collection

import onnx_ir as ir

from webbuild.inspection.context import Context, uncertain
from webbuild.inspection.graph import read
from webbuild.inspection.placing import place
from webbuild.inspection.rules._base import rules_of
from webbuild.passes.force_cpu import cpu_nodes
from webbuild.targets.table import Table

_ABOUT_HALF = "half-"
"""Beginning of the codes of rules about float16. What the others find is there in float32 too."""
_MEASURED = {"half-overflow"}
"""Rules that guess what ranges know."""
_RIGHT = {"half-layer-normalization"}
"""Rules about what a conversion never makes: a LayerNormalization all of whose tensors are float16 compiles and is
right on real float16 (`docs/fp16.md`); the one that does not compile mixes types (onnxruntime #32629)."""


def refused(model: ir.Model, halved: Collection[str], table: Table, *, measured: bool) -> dict[str, str]:
    """Return why nodes of a converted graph must be float32 after all, by name.

    Args:
        model: where they are float16.
        halved: their names; in float32 all of them run on the GPU.
        table: of the target.
        measured: whether the numbers that go through them were looked at, so that nothing is guessed of them.
    """
    copy, nodes = read(model, {})
    context = Context(copy, table, nodes, place(nodes, table, cpu_nodes(copy)), uncertain(nodes))
    wanted, found = set(halved), {}
    for each in nodes:
        name = each.node.name or ""
        if name not in wanted or each.parent is not None:
            continue
        if context.placings[each.node].place not in ("gpu", "folded"):
            found[name] = "no float16 kernel on the GPU"
            continue
        for rule in rules_of(each.node.op_type):
            if not rule.code.startswith(_ABOUT_HALF) or rule.code in _RIGHT | (_MEASURED if measured else set()):
                continue
            if (known := rule.check(each.node, context)) is not None:
                found.setdefault(name, f"{known.what}: {known.why}")
    return found
