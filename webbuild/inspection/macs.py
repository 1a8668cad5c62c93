"""Multiply-accumulates (MACs) of a graph."""

from __future__ import annotations

from math import prod

import onnx_ir as ir

from webbuild.passes.rewrite import static_shape


def graph_macs(graph: ir.Graph) -> int:
    """Return the MACs of a run, as far as shapes are known; bodies of subgraphs count once."""
    return sum(node_macs(node) for node in graph.all_nodes())


def node_macs(node: ir.Node) -> int:
    """Return the MACs of a Conv, MatMul, Gemm or Einsum, else the number of output elements."""
    output_elements = sum(prod(static_shape(value) or [0]) for value in node.outputs[:1])
    if node.op_type in ("Conv", "ConvTranspose") and (sizes := static_shape(node.inputs[1])):
        source = static_shape(node.inputs[0]) or [0]
        return prod(source) * prod(sizes[1:]) if node.op_type == "ConvTranspose" else output_elements * prod(sizes[1:])
    if node.op_type in ("MatMul", "Gemm", "Einsum") and (sizes := static_shape(node.inputs[0])):
        transposed = node.op_type == "Gemm" and bool(node.attributes.get_int("transA", 0))
        return output_elements * sizes[0 if transposed else -1]
    return output_elements
