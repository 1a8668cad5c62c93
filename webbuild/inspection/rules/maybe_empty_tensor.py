"""Kernels that throw where nothing is found."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, known_rank
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule
from webbuild.inspection.rules.empty_input import EmptyInput
from webbuild.inspection.rules.empty_reduction import EmptyReduction


class MaybeEmptyTensor(Rule):
    """The run throws where nothing is found: the data decide the length, and this kernel takes no empty tensor.

    It works with every picture that has something in it, and fails with the first that has nothing.
    Fix: fixed sizes before it; webbuild does so for non-maximum suppression.
    Source: measured on 1.24.3 to 1.31.0-dev; ultralytics #18867.
    """

    code = "maybe-empty-tensor"
    operators = (*EmptyInput.operators, *EmptyReduction.operators)
    passes = ("pad-nms-output",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or node.inputs[0] not in context.dynamic_values:
            return None
        if node.op_type == "TopK" and known_rank(node.inputs[0]) == 1:
            return None  # it chooses none of none, at which the kernel returns at once
        return self.finding(
            node,
            "throws where nothing is found",
            f"the data decide how long its input is, and {node.op_type} takes no empty tensor",
            "take a fixed number of rows with TopK before it",
        )
