"""Kernels that throw on a tensor of size zero."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, is_empty, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class EmptyInput(Rule):
    """The run throws: this kernel does not take a tensor with a size of zero.

    It dispatches no work, and the engine refuses that: `Invalid dispatch group size (0, 1, 1)`. Zero sizes come from
    exports in which nothing was found.
    Fix: fold-empty-tensors writes what it means, where the shapes are fixed.
    Source: measured on 1.24.3 to 1.31.0-dev; onnxruntime #28772.
    """

    code = "empty-input"
    operators = (
        "Softmax",
        "TopK",
        "InstanceNormalization",
        "Conv",
        "ConvTranspose",
        "MaxPool",
        "AveragePool",
        "GlobalAveragePool",
        "GlobalMaxPool",
        "DequantizeLinear",
        "RotaryEmbedding",
        "MultiHeadAttention",
    )
    passes = ("fold-empty-tensors",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        somewhere = node.op_type == "TopK" and context.on_cpu(node)  # there it divides by zero
        if not is_empty(node.inputs[0]) or not (somewhere or context.on_gpu(node)):
            return None
        if _chooses_none(node):
            return None
        return self.finding(
            node,
            "throws",
            f"{node.op_type} takes no tensor of shape {known_shape(node.inputs[0])}",
            "give it at least one row",
        )


def _chooses_none(node: ir.Node) -> bool:
    """Whether a TopK has none to choose from, at which the kernel returns at once."""
    sizes = known_shape(node.inputs[0])
    axis = node.attributes.get_int("axis", -1)
    return node.op_type == "TopK" and sizes is not None and -len(sizes) <= axis < len(sizes) and sizes[axis] == 0
