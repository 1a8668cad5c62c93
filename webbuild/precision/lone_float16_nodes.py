"""Single float16 nodes between float32 nodes stay float32, because two Casts cost more than they save."""

from __future__ import annotations

from collections.abc import Mapping

import onnx_ir as ir

from webbuild.precision.constant_overflow import is_stored_constant
from webbuild.precision.op_classes import MATMUL_OPS
from webbuild.targets.castable_indices import CastableIO

_REASON = "alone between float32 nodes: float16 would cost two Casts"


def find_lone_nodes(graph: ir.Graph, chosen: Mapping[ir.Node, CastableIO]) -> dict[str, str]:
    """Return the nodes, except convolutions and matrix products, with only float32 producers and consumers."""
    left = dict(chosen)
    reasons: dict[str, str] = {}
    changed = True
    while changed:
        changed = False
        for node in graph:
            if node in left and node.op_type not in MATMUL_OPS and _is_alone(node, left):
                del left[node]
                reasons[node.name or ""] = _REASON
                changed = True
    return reasons


def _is_alone(node: ir.Node, chosen: Mapping[ir.Node, CastableIO]) -> bool:
    inputs = [node.inputs[index] for index in chosen[node].inputs]
    read = [value for value in inputs if value is not None and not is_stored_constant(value)]
    if not read or any(_is_float16(value, chosen) for value in read):
        return False
    for index in chosen[node].outputs:
        value = node.outputs[index]
        if any(use.node in chosen and use.idx in chosen[use.node].inputs for use in value.uses()):
            return False
    return True


def _is_float16(value: ir.Value, chosen: Mapping[ir.Node, CastableIO]) -> bool:
    maker = value.producer()
    if maker is None:
        return False
    if maker not in chosen:
        return maker.op_type == "Cast" and (
            maker.inputs[0] is not None and maker.inputs[0].dtype in (ir.DataType.FLOAT16, ir.DataType.BOOL)
        )
    return any(maker.outputs[index] is value for index in chosen[maker].outputs)
