"""Whether the engine's graph optimizer speeds up a graph enough to justify its time in WebAssembly."""

from __future__ import annotations

import onnx_ir as ir

_ACTIVATIONS = frozenset({"Clip", "HardSigmoid", "HardSwish", "LeakyRelu", "Relu", "Sigmoid", "Tanh"})
"""Activations that are fused into the convolution before them, which saves a pass over memory."""
_MERGED = frozenset({"Erf"})
"""Operators of a decomposed GELU: five operators become one."""
_QUANTIZED = ("QLinear", "Quantize", "Dequantize", "DynamicQuantize", "ConvInteger", "MatMulInteger")
"""Prefixes of quantized operators, which compute in integers once the engine has fused them."""


def gains_by_engine_optimizer(model: ir.Model) -> bool:
    """Return whether the engine's fusions at load time make a run on WebAssembly faster.

    The passes have already folded constants and merged operators; other fusions, such as `QuickGelu`, save no time.
    """
    return any(_is_fused(node) for node in model.graph.all_nodes())


def _is_fused(node: ir.Node) -> bool:
    if node.op_type in _MERGED or node.op_type.startswith(_QUANTIZED):
        return True
    return node.op_type == "Conv" and _only_consumer_op(node.outputs[0]) in _ACTIVATIONS


def _only_consumer_op(value: ir.Value) -> str | None:
    """Return the operator of the only reader of a value; None for a graph output or several readers."""
    users = [use.node.op_type for use in value.uses()]
    return users[0] if len(users) == 1 and not value.is_graph_output() else None
