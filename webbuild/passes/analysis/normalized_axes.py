"""The axes that a Softmax or a LayerNormalization normalizes together."""

from __future__ import annotations

import onnx_ir as ir

SOFTMAXES = ("Softmax", "LogSoftmax", "Hardmax")
SOFTMAX_OF_ONE_AXIS = 13
"""The opset from which on a Softmax normalizes one axis; before that, all axes from `axis` to the last."""


def normalized_axes(node: ir.Node, rank: int) -> range:
    """Return the axes that a Softmax, LogSoftmax, Hardmax or LayerNormalization normalizes."""
    opset = SOFTMAX_OF_ONE_AXIS if node.graph is None else node.graph.opset_imports.get("", SOFTMAX_OF_ONE_AXIS)
    old = node.op_type in SOFTMAXES and opset < SOFTMAX_OF_ONE_AXIS
    first = node.attributes.get_int("axis", 1 if old else -1) % max(1, rank)
    return range(first, rank if old or node.op_type not in SOFTMAXES else first + 1)
