"""The axes that a Softmax or a LayerNormalization normalizes together."""

from __future__ import annotations

import onnx_ir as ir

SOFTMAXES = ("Softmax", "LogSoftmax", "Hardmax")
SOFTMAX_OF_ONE_AXIS = 13
"""The opset from which on a Softmax normalizes one axis; before that, all axes from `axis` to the last."""


def normalized_axes(node: ir.Node, rank: int) -> range:
    """Return the axes that a Softmax, LogSoftmax, Hardmax or LayerNormalization normalizes.

    A subgraph does not know its opset. There these are the axes before opset 13, which include those since then.
    """
    opset = 0 if node.graph is None else node.graph.opset_imports.get("", 0)
    old = node.op_type in SOFTMAXES and opset < SOFTMAX_OF_ONE_AXIS
    first = node.attributes.get_int("axis", 1 if old else -1) % max(1, rank)
    return range(first, rank if old or node.op_type not in SOFTMAXES else first + 1)
