"""Rows of a Softmax that are masked altogether."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, constant_input, input_value, is_empty, is_small_input
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class SoftmaxFullyMasked(Rule):
    """The answer may be zeros where the CPU's is NaN: a Softmax over nothing but negative infinity.

    It is 0 / 0, and the GPU gives 0. Attention masks of -inf lead there, where a query may look at nothing.
    Fix: mask with a large negative number, such as -1e4. Where an input of the graph is read, cpu-fallback: that
    lies on
    the CPU anyway.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "softmax-fully-masked"
    operators = ("Softmax",)
    severity = "note"
    outcome = "wrong"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        source = node.inputs[0]
        if not context.on_gpu(node) or is_empty(source):
            return None
        what, fix = "a row of -inf becomes 0, not NaN", "mask with -1e4 instead of -inf"
        if is_small_input(source):
            return self.finding(node, what, "it reads an input of the graph", fix, mended_by="cpu-fallback")
        producer = None if source is None else source.producer()
        if producer is None or producer.op_type not in ("Add", "Where"):
            return None
        masks = [index for index in range(len(producer.inputs)) if _holds_infinity(producer, index)]
        if not masks:
            return None
        return self.finding(node, what, f"{producer.op_type} before it puts -inf in its place", fix)


def _holds_infinity(node: ir.Node, index: int) -> bool:
    stored = None if input_value(node, index) is None else constant_input(node, index)
    return stored is not None and stored.dtype.kind == "f" and bool(np.isneginf(stored).any())
