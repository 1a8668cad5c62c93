"""Whether the engine's graph optimizer improves a graph enough to pay for the time that it takes in WebAssembly."""

from __future__ import annotations

import onnx_ir as ir

ACTIVATIONS = frozenset({"Clip", "HardSigmoid", "HardSwish", "LeakyRelu", "Relu", "Sigmoid", "Tanh"})
"""What becomes part of the convolution before it: one pass over memory less."""
MERGED = frozenset({"Erf"})
"""Of a GELU, which becomes one operator of five."""
QUANTIZED = ("QLinear", "Quantize", "Dequantize", "DynamicQuantize", "ConvInteger", "MatMulInteger")
"""Beginnings of operators that compute in whole numbers once the engine has put them together."""


def gains_by_engine_optimizer(model: ir.Model) -> bool:
    """Return whether a run on WebAssembly is faster for what the engine fuses when it loads the graph.

    The passes have folded the constants and merged the operators; the rest, such as `QuickGelu`, saves no time there.
    """
    return any(_is_fused(node) for node in model.graph.all_nodes())


def _is_fused(node: ir.Node) -> bool:
    if node.op_type in MERGED or node.op_type.startswith(QUANTIZED):
        return True
    return node.op_type == "Conv" and _only_consumer_op(node.outputs[0]) in ACTIVATIONS


def _only_consumer_op(value: ir.Value) -> str | None:
    """Return the operator that alone reads a value, None where that is the graph or there are several."""
    users = [use.node.op_type for use in value.uses()]
    return users[0] if len(users) == 1 and not value.is_graph_output() else None
