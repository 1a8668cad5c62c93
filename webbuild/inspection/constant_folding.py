"""Constant folding as the engine does it before placement: constants, and sizes of values with fixed shapes."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from webbuild.inspection.graph import ScopedNode, subgraphs
from webbuild.inspection.kernels import STANDARD_DOMAINS
from webbuild.model.random_operators import RANDOM_OPS
from webbuild.passes.rewrite import static_shape

_NEVER_FOLDED = {*RANDOM_OPS, "DequantizeLinear"}
"""Never folded: random values, and quantized weights, which should stay small."""

_ELIMINATED = {"Identity", "Dropout"}
"""Removed from the graph unless their output is a graph output."""


def folded_nodes(nodes: Sequence[ScopedNode], without_kernel: set[ir.Node]) -> set[ir.Node]:
    """Return the nodes that are folded before placement, given the nodes without any kernel."""
    known: set[ir.Value] = set()
    folded: set[ir.Node] = set()
    for each in nodes:
        node = each.node
        if node.op_type in _ELIMINATED and not any(value.is_graph_output() for value in node.outputs):
            folded.add(node)
            if node.inputs and (source := node.inputs[0]) is not None and (source in known or _is_stored(source)):
                known |= set(node.outputs)
        elif node not in without_kernel and _is_constant(node, known):
            folded.add(node)
            known |= set(node.outputs)
    return folded


def _is_constant(node: ir.Node, known: set[ir.Value]) -> bool:
    if node.domain not in STANDARD_DOMAINS or node.op_type in _NEVER_FOLDED or any(True for _ in subgraphs(node)):
        return False
    if node.op_type in ("Shape", "Size"):
        return static_shape(node.inputs[0]) is not None
    return all(value is None or value in known or _is_stored(value) for value in node.inputs)


def _is_stored(value: ir.Value) -> bool:
    return value.is_initializer() and not value.is_graph_input()
