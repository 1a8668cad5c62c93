"""Logarithms of sums over nothing."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, is_empty
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule

_SUMS = ("ReduceL1", "ReduceL2", "ReduceSum", "ReduceSumSquare")


class LogZeroEmpty(Rule):
    """The answer is wrong: the logarithm of 0 on the GPU need not be minus infinity.

    WGSL leaves open what an expression gives that is infinite. A sum over a tensor without elements is 0 in every run.
    Fix: fold-empty-tensors writes the sum as zeros, whose logarithm is computed while packing.
    Source: measured on 1.30.0.
    """

    code = "log-zero-empty"
    operators = ("Log",)
    outcome = "wrong"
    passes = ("fold-empty-tensors",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        value = node.inputs[0]
        producer = None if value is None else value.producer()
        if not context.on_gpu(node) or producer is None or producer.op_type not in _SUMS:
            return None
        if is_empty(value) or not is_empty(producer.inputs[0]):
            return None
        return self.finding(
            node,
            "wrong answer",
            f"it reads a {producer.op_type} over a tensor without elements, which is 0",
            "leave the reduction over nothing out",
        )
