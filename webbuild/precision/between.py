"""Nodes that would be alone in float16, between nodes of float32: two Casts for little."""

from __future__ import annotations

from collections.abc import Mapping

import onnx_ir as ir

from webbuild.precision.constants import is_constant
from webbuild.precision.kinds import CONTRACTING
from webbuild.precision.slots import Slots, is_float

WHY = "between nodes of float32: it would cost two casts"


def between(graph: ir.Graph, chosen: Mapping[ir.Node, Slots], *, border: bool) -> dict[str, str]:
    """Return the nodes without weights that read from and give to float32 only."""
    left = dict(chosen)
    found: dict[str, str] = {}
    changed = True
    while changed:
        changed = False
        for node in graph:
            if node in left and node.op_type not in CONTRACTING and _is_between(node, left, border=border):
                del left[node]
                found[node.name or ""] = WHY
                changed = True
    return found


def _is_between(node: ir.Node, chosen: Mapping[ir.Node, Slots], *, border: bool) -> bool:
    given = [node.inputs[index] for index in chosen[node].inputs]
    read = [value for value in given if value is not None and not is_constant(value)]
    if not read or any(_is_half(value, chosen, border=border) for value in read):
        return False
    for index in chosen[node].outputs:
        value = node.outputs[index]
        if not border and value.is_graph_output():
            return False
        if any(use.node in chosen and use.idx in chosen[use.node].inputs for use in value.uses()):
            return False
    return True


def _is_half(value: ir.Value, chosen: Mapping[ir.Node, Slots], *, border: bool) -> bool:
    maker = value.producer()
    if maker is None:
        return not border and is_float(value)
    if maker not in chosen:
        return maker.op_type == "Cast" and (
            maker.inputs[0] is not None and maker.inputs[0].dtype in (ir.DataType.FLOAT16, ir.DataType.BOOL)
        )
    return any(maker.outputs[index] is value for index in chosen[maker].outputs)
